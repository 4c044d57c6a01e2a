import dataclasses
import json
import subprocess
import sys

import pytest

from benchmarks.ablation import FLAGFILE, WITHOUT, ablation, markdown
from neural_gpu_tf.options import CurriculumConfig, ModelConfig, TrainingConfig

SUMMARY = {"bits": 7.0, "exact_20": 0.5, "hard_20": 0.25, "train_seconds": 61.2}


def of_the_flagfile():
    lines = [line for line in FLAGFILE.read_text().split() if line.startswith("--")]
    flags = (line.removeprefix("--").split("=") for line in lines)
    return {name: value[0] if value else "true" for name, *value in flags}


@pytest.mark.parametrize("name", [name for name in WITHOUT if WITHOUT[name]])
def test_a_line_changes_what_the_runs_with_all_have(name):
    """Each flag exists, and has another value than in the runs with all."""
    fields = [
        field
        for config in (ModelConfig, TrainingConfig, CurriculumConfig)
        for field in dataclasses.fields(config)
    ]
    usual = {f.name: str(f.default).lower() for f in fields} | of_the_flagfile()
    for flag, value in WITHOUT[name].items():
        assert usual[flag] != value


@pytest.mark.parametrize("name", WITHOUT)
def test_every_line_sees_equally_many_examples(name):
    usual = of_the_flagfile()
    own = {"buckets": "1"} | usual | WITHOUT[name]
    seen = [int(x["train_steps"]) * int(x.get("buckets", 1)) for x in (usual, own)]
    assert seen[0] == seen[1] and own["task_batch_size"] == usual["task_batch_size"]


def test_a_table_has_one_number_a_seed():
    other = SUMMARY | {"bits": 20.0, "exact_20": 1.0}
    assert markdown(
        {"nothing": [SUMMARY, other], "dropout": [SUMMARY]}
    ).splitlines() == [
        "| without, or with | length reached | random 20 | hard 20 | seconds |",
        "| --- | --- | --- | --- | --- |",
        "| nothing | 7, 20 | 50%, 100% | 25%, 25% | 61, 61 |",
        "| dropout | 7 | 50% | 25% | 61 |",
    ]


def test_a_run_that_is_there_is_not_made_again(tmp_path):
    for name in ("nothing 3", "curriculum, four lengths a step 3"):
        run = tmp_path / name
        run.mkdir()
        (run / "summary.json").write_text(json.dumps(SUMMARY | {"bits": len(name)}))
    names = ["nothing", "curriculum, four lengths a step"]
    text = ablation(tmp_path, FLAGFILE, names, [3])
    assert "| nothing | 9 | 50% |" in text
    assert "| curriculum, four lengths a step | 33 | 50% |" in text
    assert (tmp_path / "ablation.md").read_text() == text


def test_a_call_for_fewer_lines_keeps_the_others_in_the_table(tmp_path):
    for name in ("nothing 0", "nothing 10", "nothing 9", "dropout 0"):
        run = tmp_path / name
        run.mkdir()
        bits = float(name.rpartition(" ")[2])
        (run / "summary.json").write_text(json.dumps(SUMMARY | {"bits": bits}))
    text = ablation(tmp_path, FLAGFILE, ["nothing"], [0, 0])
    assert "| nothing | 0, 9, 10 | 50%" in text and "| dropout | 0 | 50%" in text
    assert (tmp_path / "ablation.md").read_text() == text


@pytest.mark.slow
def test_it_trains_each_line_with_each_seed(tmp_path):
    runs = tmp_path / "tiny.flags"
    tiny = ["--maps=4", "--train_steps=1", "--validation_bits=1", "--batch_parts=1"]
    runs.write_text("\n".join([*FLAGFILE.read_text().splitlines(), *tiny]))
    done = subprocess.run(
        [
            *(sys.executable, "-m", "benchmarks.ablation", f"--out={tmp_path}"),
            *("--only=dropout", "--seeds=5", f"--runs={runs}"),
        ],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    config = json.loads((tmp_path / "dropout 5" / "config.json").read_text())
    assert config["model"]["dropout"] == 0 and config["model"]["maps"] == 4
    assert config["training"]["training_seed"] == 5
    assert config["task"]["curriculum_seed"] == 5
    assert (
        "| without, or with | length reached | random 1 | hard 1 | seconds |"
        in done.stdout
    )
    assert "| dropout | 1 | " in done.stdout
