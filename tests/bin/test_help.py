import subprocess
import sys
import time
from pathlib import Path

import pytest
from small_files import NEEDS_DEV_FULL

from neural_gpu_tf import __version__

BINARIES = sorted(
    path.stem
    for path in (Path(__file__).parents[2] / "neural_gpu_tf" / "bin").glob("*.py")
    if "def cli()" in path.read_text("utf-8")
)


def shown(binary, flag):
    done = subprocess.run(
        [sys.executable, "-m", f"neural_gpu_tf.bin.{binary}", flag],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 and done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("binary", BINARIES)
def test_help_says_what_the_binary_does_and_how(binary):
    text = shown(binary, "--help")
    assert text.startswith(f"neural-gpu-{binary.replace('_', '-')}: ")
    assert "\n  --" in text


def test_help_and_version_come_at_once():
    """TensorFlow alone takes several times as long to import."""
    times = []
    for flag in ("--help", "--version"):
        start = time.monotonic()
        text = shown("train", flag)
        times.append(time.monotonic() - start)
    assert text == f"neural-gpu-tf {__version__}\n"
    assert max(times) < 2  # 0.35 s was seen


@NEEDS_DEV_FULL
@pytest.mark.parametrize("flag", ["--help", "--version", "--helpfull"])
def test_help_without_room(flag):
    command = [sys.executable, "-m", "neural_gpu_tf.bin.solve", flag]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2
    assert done.stderr == "solve.py: output: No space left on device\n"


@pytest.mark.parametrize("descriptor", [1, 2])
def test_a_closed_stream_takes_what_is_written(descriptor):
    command = f'exec "$0" -m neural_gpu_tf.bin.solve 2 {descriptor}>&-'
    shell = ["sh", "-c", command, sys.executable]
    done = subprocess.run(shell, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert (done.stderr == "") == (descriptor == 2)
    assert "Traceback" not in done.stderr


def test_the_options_of_training_stand_in_sections():
    text = shown("train", "--help")
    sections = [
        line for line in text.splitlines() if line.endswith(":") and line[0] > " "
    ]
    sections = [section.rstrip(":") for section in sections]
    for name in ("task and curriculum", "data", "model", "training", "decoding"):
        assert name in sections
    at = {name: text.index(name) for name in ("  --width", "  --units", "  --stacks")}
    for option, of in (
        ("  --width", "diagonal_neural_gpu"),
        ("  --units", "rnn_seq2seq"),
        ("  --stacks", "stack_rnn"),
    ):
        heading = text.rindex("\nmodel=", 0, at[option])
        assert of in text[heading : text.index(":", heading)]
