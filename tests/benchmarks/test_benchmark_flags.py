"""How benchmarks fail: in one line, before anything is trained."""

import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from absl import flags

import benchmarks

FILES = sorted(Path(benchmarks.__file__).parent.glob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_starts_and_fails_as_the_binaries_do(path):
    assert "from absl import app" not in path.read_text("utf-8")


@pytest.mark.parametrize(
    "name, flag, told",
    [
        ("chomsky", "--examples=0", "--examples=0"),
        ("chomsky", "--core=999", "--core=999: this process may use"),
        ("chomsky", "--task=badd", "--task=badd: not a legal value"),
        ("ngrams", "--every=0", "--every=0"),
        ("ngrams", "junk", "'junk': not a flag"),
        ("dependence", "--model=foo", "foo"),
        ("copy_curves", "--models=foo", "give some of lstm, ntm_lstm"),
        ("step_cost", "--run_dir=none", "none: not a run directory"),
    ],
)
def test_what_is_wrong_is_one_line(tmp_path, monkeypatch, capsys, name, flag, told):
    own = [f"--out={tmp_path}"] if name in ("chomsky", "copy_curves") else []
    known = {*flags.FLAGS}
    monkeypatch.setattr(sys, "argv", ["", *own, flag])
    try:
        with pytest.raises(SystemExit) as end:
            runpy.run_path(
                str(Path(*benchmarks.__path__, f"{name}.py")), {}, "__main__"
            )
    finally:
        for flag in {*flags.FLAGS} - known:
            delattr(flags.FLAGS, flag)
        flags.FLAGS.unparse_flags()
    shown = capsys.readouterr()
    assert end.value.code == 2 and not shown.out
    (line,) = shown.err.splitlines()
    assert line.startswith(f"{name}.py: ") and told in line


def test_a_process_fails_in_one_line():
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.ngrams", "--every=0"],
        capture_output=True,
        text=True,
        cwd=FILES[0].parents[1],
    )
    assert done.returncode == 2 and not done.stdout
    (line,) = done.stderr.splitlines()
    assert line.startswith("ngrams.py: ") and "--every=0" in line
