import json

import pytest

from benchmarks import child_training
from benchmarks.child_training import given_flags, run_module, same_settings, train
from neural_gpu_tf.errors import InputError


def test_what_a_program_prints_is_returned_and_its_failure_told(capfd):
    assert "usage: " in run_module("json.tool", ["--help"])
    with pytest.raises(InputError, match="json.tool ended with status 2; why is said"):
        run_module("json.tool", ["--none"])
    assert "unrecognized arguments: --none" in capfd.readouterr().err


def test_a_run_that_is_done_is_not_trained_again(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(child_training, "run_module", lambda *x: asked.append(x))
    train(tmp_path, {"maps": 4}, ["--config=badd"])
    ((module, arguments, _),) = asked
    assert module == "neural_gpu_tf.bin.train"
    assert arguments == ["--config=badd", "--maps=4", f"--run_dir={tmp_path}"]
    for cases, summary, times in (
        (0, {"error": 0.5}, 1),
        (6, {"error": 0.5}, 2),  # ended in the selection
        (6, {"selected_step": 4.0}, 2),
    ):
        (tmp_path / "summary.json").write_text(json.dumps(summary))
        config = {"task": {"selection_cases": cases}}
        (tmp_path / "config.json").write_text(json.dumps(config))
        train(tmp_path, {"maps": 4})
        assert len(asked) == times


def test_flags_behind_the_dashes_are_of_one_form():
    assert given_flags(["--a=1", "--b=x=y"]) == {"a": "1", "b": "x=y"}
    for wrong in ("--nocurriculum", "a=1", "-a=1"):
        with pytest.raises(InputError, match=f"'{wrong}': behind -- flags are"):
            given_flags([wrong])


def test_a_folder_is_of_one_set_of_settings(tmp_path):
    same_settings(tmp_path / "new", {"minutes": 3.0, "arguments": ["--maps=4"]})
    path = tmp_path / "new" / "settings.json"
    assert json.loads(path.read_text())["minutes"] == 3.0
    same_settings(tmp_path / "new", {"minutes": 3.0, "arguments": ["--maps=4"]})
    for other in (
        {"minutes": 4.0, "arguments": ["--maps=4"]},
        {"minutes": 3.0, "arguments": ["--maps=5"]},
        {"minutes": 3.0},
    ):
        with pytest.raises(InputError, match="settings.json: the runs here are of"):
            same_settings(tmp_path / "new", other)
    assert json.loads(path.read_text())["arguments"] == ["--maps=4"]
