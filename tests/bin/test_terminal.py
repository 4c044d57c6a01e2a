"""No escape sequence of a text reaches a terminal; a pipe gets it as it is."""

import os
import pty
import subprocess
import sys

PROGRAM = """
import sys
from neural_gpu_tf.bin.terminal import guard_standard_streams, standard_output
guard_standard_streams()
guard_standard_streams()
print("a\\x1b[31mb\\tc")
print("d\\x1b]0;e\\x07\\x9b", file=sys.stderr)
out = standard_output()
out.write("f\\x1bg \\xe9\\n".encode())
out.flush()
"""


def shown(command):
    """What a terminal gets as standard output and error."""
    own, other = pty.openpty()
    subprocess.run(command, stdout=other, stderr=other, check=True)
    os.close(other)
    content = b""
    while True:
        try:
            content += os.read(own, 4096)
        except OSError:  # all is read
            break
    os.close(own)
    return content


def test_what_a_terminal_gets_and_what_a_pipe():
    command = [sys.executable, "-c", PROGRAM]
    assert shown(command).split(b"\r\n") == [
        rb"a\x1b[31mb" + b"\tc",
        rb"d\x1b]0;e\x07\x9b",
        rb"f\x1bg " + "\xe9".encode(),
        b"",
    ]
    piped = subprocess.run(command, capture_output=True, check=True)
    assert piped.stdout == "a\x1b[31mb\tc\nf\x1bg \xe9\n".encode()
    assert b"\x1b]0;e\x07" in piped.stderr


def test_a_terminal_gets_what_is_logged(tmp_path):
    text, vocabulary = tmp_path / "\x1b[31m.txt", tmp_path / "\x1b[31m.vocab"
    text.write_text("two dogs\n")
    binary = [sys.executable, "-m", "neural_gpu_tf.bin.build_vocab"]
    told = shown([*binary, f"--output={vocabulary}", text])
    path = str(vocabulary).replace("\x1b", r"\x1b")
    assert told.decode() == f"{path}: 268 symbols: 6 characters, 2 pieces\r\n"


def test_a_pipe_gets_utf_8_whatever_the_locale():
    surroundings = os.environ | {"PYTHONIOENCODING": "ascii"}
    program = """
import sys
from neural_gpu_tf.bin.terminal import guard_standard_streams
guard_standard_streams()
print("日本")
print("é", file=sys.stderr)
"""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, env=surroundings, check=True)
    assert (done.stdout, done.stderr) == ("日本\n".encode(), "é\n".encode())


def test_closed_standard_input_is_empty():
    program = """
import sys
from neural_gpu_tf.bin.terminal import guard_standard_streams
assert sys.stdin is None
guard_standard_streams()
assert sys.stdin.buffer.read() == b""
"""
    command = ["sh", "-c", '"$0" -c "$1" <&-', sys.executable, program]
    subprocess.run(command, check=True)
