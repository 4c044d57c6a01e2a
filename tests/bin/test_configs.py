"""Every flagfile of configs/ is one that neural-gpu-train can read."""

import email
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

CONFIGS = sorted(Path(__file__).parents[2].glob("configs/*.flags"))


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_a_flagfile_is_legal(run_binary, tmp_path, path):
    """All of it is read and checked before the devices are counted."""
    run = tmp_path / "run"
    answer = run_binary(
        "train", f"--flagfile={path}", f"--run_dir={run}", "--replicas=99"
    )
    assert answer.status == 2
    assert "--replicas=99: there are" in answer.err


def test_there_are_flagfiles():
    assert {"demo", "multi30k_extended", "wmt14_enfr_extended", "badd"} <= {
        path.stem for path in CONFIGS
    }


def test_flagfiles_can_be_read_in_any_locale():
    """absl reads them in the locale's encoding."""
    assert all(path.read_bytes().isascii() for path in CONFIGS)


def test_a_flagfile_in_another_encoding_is_one_line(run_binary, tmp_path):
    mine = tmp_path / "mine.flags"
    mine.write_bytes(b"# \xe9\n--replicas=98\n")
    answer = run_binary("train", f"--config={mine}", f"--run_dir={tmp_path / 'run'}")
    assert answer.status == 2 and answer.err.count("\n") == 1
    assert "a flagfile is no text of utf-8; write it in UTF-8" in answer.err


@pytest.mark.parametrize("form", [["--config=badd"], ["--config", "badd"]])
def test_an_experiment_by_its_name(run_binary, tmp_path, form):
    answer = run_binary(
        "train", *form, f"--run_dir={tmp_path / 'run'}", "--replicas=99"
    )
    assert answer.status == 2 and "--replicas=99: there are" in answer.err


def test_a_flagfile_by_its_path_and_flags_after_it(run_binary, tmp_path):
    mine = tmp_path / "mine.flags"
    mine.write_text("--replicas=98\n--batch_parts=2\n")
    answer = run_binary(
        "train", f"--config={mine}", f"--run_dir={tmp_path / 'run'}", "--replicas=99"
    )
    assert answer.status == 2 and "--replicas=99: there are" in answer.err


def test_no_such_experiment(run_binary, tmp_path):
    answer = run_binary("train", "--config=bad", f"--run_dir={tmp_path}")
    assert answer.status == 2 and answer.err.count("\n") == 1
    assert "--config=bad: no such file, nor one of ablation, add, badd, " in answer.err


@pytest.mark.slow
def test_the_wheel_has_experiments_weights_and_metadata(tmp_path):
    source = tmp_path / "source"  # pip leaves files where it builds
    skip = shutil.ignore_patterns(".*", "build", "runs", "*.egg-info", "_build")
    shutil.copytree(Path(__file__).parents[2], source, ignore=skip)
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--quiet"]
    subprocess.run([*command, f"--wheel-dir={tmp_path}", source], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        (metadata,) = (x for x in names if x.endswith("/METADATA"))
        about = archive.read(metadata).decode()
    for path in CONFIGS:
        assert f"neural_gpu_tf/configs/{path.name}" in names
    for name in ("enfr/vocab.txt", "enfr/README.md", "badd/best.weights.h5"):
        assert f"neural_gpu_tf/pretrained/{name}" in names
    for name in ("play.html", "play_tasks.js", "report.html"):
        assert f"neural_gpu_tf/evaluation/templates/{name}" in names
    fields = email.message_from_string(about)
    assert fields["Author"] and fields["Project-URL"]
    assert SpecifierSet(fields["Requires-Python"]) == SpecifierSet(">=3.11,<3.14")
    needed = [Requirement(x) for x in fields.get_all("Requires-Dist")]
    bounds = {x.name: x.specifier for x in needed}
    same = SpecifierSet(">=2.21,<2.22")
    assert bounds["tensorflow"] == bounds["tensorflow-text"] == same
