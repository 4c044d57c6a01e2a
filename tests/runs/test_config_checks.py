"""Whether a run of other options can resume, or start another."""

import dataclasses

import pytest
from test_run_directory import CONFIG, changed, fault

from neural_gpu_tf.options import CurriculumConfig
from neural_gpu_tf.runs import RunDirectory
from neural_gpu_tf.runs.config_checks import check_resumes, check_start
from neural_gpu_tf.tasks import TASKS


def begun(path, config):
    directory = RunDirectory(path)
    directory.write_config(config)
    return directory


def test_another_task_is_named(tmp_path):
    """Though its symbols are others, too."""
    badd, sort = (
        dataclasses.replace(
            CONFIG,
            task=CurriculumConfig(task=task),
            vocabulary_size=TASKS[task].vocabulary_size,
        )
        for task in ("badd", "sort")
    )
    told = fault(check_resumes, begun(tmp_path, badd), sort, ())
    assert "this run has task=badd, not sort;" in told
    training = dataclasses.replace(CONFIG.training, init_from="there")
    sort, translation = (
        dataclasses.replace(x, training=training) for x in (sort, CONFIG)
    )
    message = "that run is a translation, which can't become task=sort;"
    assert message in fault(check_start, CONFIG, sort)
    message = "that run is task=badd, which can't become a translation;"
    assert message in fault(check_start, badd, translation)
    check_start(dataclasses.replace(badd, model=CONFIG.model), sort)


@pytest.mark.parametrize(
    "concern, options, advice",
    [
        ("model", {"maps": 9}, "train another from scratch"),
        ("model", {"dropout": 0.5}, "begin another run with its weights: init_from="),
        ("training", {"adam_beta_1": 0.5}, "begin another run with its weights"),
    ],
)
def test_what_is_advised_is_possible(tmp_path, concern, options, advice):
    given = changed(concern, **options)
    assert advice in fault(check_resumes, begun(tmp_path, CONFIG), given, ())
    given = dataclasses.replace(
        given, training=dataclasses.replace(given.training, init_from="there")
    )
    if advice.startswith("begin"):
        check_start(CONFIG, given)
    else:
        assert "train from scratch" in fault(check_start, CONFIG, given)
