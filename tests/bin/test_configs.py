"""Every flagfile of configs/ is one that neural-gpu-train can read."""

from pathlib import Path

import pytest

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
