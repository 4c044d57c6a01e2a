import os
import subprocess
import sys

import pytest
import tensorflow as tf
import tiny

LINES = [b"two thousand, five", b"", b"six", b"s\xe9x", b"two six five " * 4, b"five"]


def expected(lines):
    return b"".join(
        text + b"\n"
        for text in tiny.translator().translate(tf.constant(lines))["text"].numpy()
    ).decode()


def check_warnings(text):
    assert "standard input:4: not UTF-8" in text
    assert "standard input:5: longer than --max_source_length" in text


def test_lines_in_lines_out_and_nothing_else_on_standard_output(run_dir):
    answer = subprocess.run(
        [sys.executable, "-m", "neural_gpu_tf.bin.translate", f"--run_dir={run_dir}"],
        input=b"\n".join(LINES),
        capture_output=True,
        check=True,
        env={k: v for k, v in os.environ.items() if k != "TF_CPP_MIN_LOG_LEVEL"},
    )
    assert answer.stdout.decode() == expected(LINES)
    errors = answer.stderr.decode()
    check_warnings(errors)
    assert "0000 00:00" not in errors  # what TensorFlow's libraries log
    assert len(errors.splitlines()) == 3  # ready, and two warnings


def test_flags_override_the_runs_decoding(run_binary, run_dir, caplog):
    answer = run_binary(
        "translate", f"--run_dir={run_dir}", "--max_source_length=1", stdin=b"six two\n"
    )
    assert (answer.status, answer.out) == (0, expected([b"six"]))
    assert "standard input:1: longer" in caplog.text


@pytest.mark.parametrize(
    "arguments, message",
    [
        ([], "either --run_dir or --export_dir"),
        (["--run_dir=a", "--export_dir=b"], "either --run_dir or --export_dir"),
        (["--run_dir=/nowhere"], "/nowhere: not a run directory"),
        (["--export_dir=/nowhere"], "/nowhere: no saved_model.pb"),
        (["--export_dir=a", "--sizes=2"], "--sizes: an export decodes as it was"),
        (["--run_dir=a", "file"], "'file': not a flag"),
    ],
)
def test_a_fault_is_one_line_and_status_2(run_binary, arguments, message):
    answer = run_binary("translate", *arguments, stdin=b"six\n")
    assert answer.status == 2
    assert answer.out == ""
    assert answer.err.startswith("neural-gpu-translate: ")
    assert message in answer.err and answer.err.count("\n") == 1
