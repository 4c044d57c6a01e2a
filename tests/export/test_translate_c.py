"""The C program, compiled by the command in its opening comment."""

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from neural_gpu_tf.pretrained_models import pretrained_run
from neural_gpu_tf.runs import load_task_run
from neural_gpu_tf.serving import export_solver

SOURCE = Path(__file__).parents[2] / "export" / "translate.c"
TENSORFLOW = Path(importlib.util.find_spec("tensorflow").origin).parent
TEXTS = [b"two thousand, five", b"", b"six", b"\xc3\x9c\xe6\xbc\xa2!", b"\xff two"]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not shutil.which("gcc"), reason="gcc is not installed"),
    pytest.mark.skipif(
        not Path(TENSORFLOW, "libtensorflow_cc.so.2").exists(),
        reason="this wheel of TensorFlow has no libtensorflow_cc.so.2",
    ),
]


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    [command] = re.findall(r"^ +(gcc .*?\"\$TF\")\n\n", SOURCE.read_text(), re.M | re.S)
    assert f"export/{SOURCE.name}" in command and "-Wall -Wextra" in command
    command = command.replace(f"export/{SOURCE.name}", shlex.quote(str(SOURCE)))
    folder = tmp_path_factory.mktemp("program")
    made = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env={**os.environ, "TF": str(TENSORFLOW)},
        capture_output=True,
        text=True,
    )
    assert (made.returncode, made.stdout, made.stderr) == (0, "", "")
    return folder / "translate"


def last_line(answer):
    """What the program says; TensorFlow's log stands before it."""
    assert (answer.returncode, answer.stdout) == (1, b"")
    return answer.stderr.splitlines()[-1].decode()


def run(*command, **options):
    quiet = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    options = {"capture_output": True, **options}
    return subprocess.run(command, timeout=120, env=quiet, **options)


def test_it_prints_what_the_binary_prints(program, exported):
    answer = run(program, exported, *TEXTS)
    assert answer.returncode == 0, answer.stderr
    binary = [sys.executable, "-m", "neural_gpu_tf.bin.translate"]
    expected = run(*binary, f"--export_dir={exported}", input=b"\n".join(TEXTS))
    assert expected.stdout.count(b"\n") == len(TEXTS)
    assert len(set(expected.stdout.split(b"\n"))) > 2
    assert answer.stdout == expected.stdout


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (
            lambda proto: proto.replace(b"serving_default\x12", b"serving_defaulx\x12"),
            "no signature serving_default",
        ),
        (lambda proto: proto[: len(proto) // 2], "Read less bytes"),
    ],
    ids=["another signature", "half a file"],
)
def test_damaged_exports_end_in_an_error(program, exported, tmp_path, damage, message):
    copy = shutil.copytree(exported, tmp_path / "1")
    file = copy / "saved_model.pb"
    file.write_bytes(damage(file.read_bytes()))
    answer = run(program, copy, "six")
    assert last_line(answer).startswith(f"{copy}: {message}")


def test_no_export_is_said(program, tmp_path):
    assert "Could not find SavedModel" in last_line(run(program, tmp_path, "six"))


def test_usage_is_said(program):
    assert last_line(run(program)).startswith("usage: translate VERSION_DIR TEXT...")


def test_full_disk_is_said(program, exported):
    with open("/dev/full", "wb") as full:
        answer = run(program, exported, "six", capture_output=False, stdout=full)
    assert answer.returncode == 1


def test_a_solver_answers(program, tmp_path):
    solver = load_task_run(pretrained_run("badd"))
    exported = export_solver(solver, tmp_path, max_columns=40)
    assert run(program, exported, "1011 + 110", "1+1").stdout == b"10001\n10\n"
