"""The commit that a start is noted with."""

import shutil
import subprocess

import pytest

from neural_gpu_tf.runs import provenance


@pytest.mark.parametrize("tracked", [True, False])
def test_only_of_a_checkout_that_the_package_is_part_of(tracked, tmp_path, monkeypatch):
    """Not of a project in whose folder the package happens to be installed."""
    module = tmp_path / "lib" / "provenance.py"
    module.parent.mkdir()
    shutil.copy(provenance.__file__, module)
    (tmp_path / "thesis.txt").write_text("first")
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@x.org"]
    for command in (["init", "-q"], ["add", "." if tracked else "thesis.txt"]):
        subprocess.run([*git, *command], cwd=tmp_path, check=True)
    subprocess.run([*git, "commit", "-qm", "x"], cwd=tmp_path, check=True)
    monkeypatch.setattr(provenance, "__file__", str(module))
    revision = provenance.provenance(["train"])["git"]
    assert len(revision) == 40 if tracked else revision is None
    (tmp_path / "thesis.txt").write_text("second")
    if tracked:
        assert provenance.provenance(["train"])["git"] == revision + "+"


def test_git_may_write_in_another_encoding(tmp_path, monkeypatch):
    git = tmp_path / "git"
    git.write_bytes(b"#!/bin/sh\nprintf 'd\\351p\\364t' >&2\nexit 128\n")
    git.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert provenance.provenance(["train"])["git"] is None
