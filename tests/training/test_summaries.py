"""What TensorBoard's own code makes of the event files."""

import pytest
from small_files import small_files

from neural_gpu_tf.evaluation.read_scalars import read_scalars
from neural_gpu_tf.training.summaries import Summaries

OPTIONS = {"model": {"maps": 8, "model": "neural_gpu"}, "vocabulary_size": 17}


def write(directory, *steps):
    """What a start of training writes."""
    summaries = Summaries(directory)
    summaries.hyperparameters(OPTIONS)
    for step in steps:
        summaries.scalars("train", step, {"loss": 2.0 / step})
        summaries.scalars("validation", step, {"bleu": 10.0 * step})


@pytest.fixture
def run(tmp_path):
    """A run that was started twice."""
    write(tmp_path / "run" / "events", 1, 2)
    write(tmp_path / "run" / "events")
    return tmp_path / "run"


def asked(logdir, module, request):
    """The answer of a handler of TensorBoard's HPARAMS page."""
    from tensorboard import context
    from tensorboard.backend.event_processing import (
        data_provider,
        plugin_event_multiplexer,
    )
    from tensorboard.plugins import base_plugin
    from tensorboard.plugins.hparams import backend_context

    events = plugin_event_multiplexer.EventMultiplexer()
    events.AddRunsFromDirectory(str(logdir)).Reload()
    provider = data_provider.MultiplexerDataProvider(events, str(logdir))
    backend = backend_context.Context(base_plugin.TBContext(data_provider=provider))
    return module.Handler(context.RequestContext(), backend, "", request).run()


@pytest.mark.parametrize("parent", [False, True])
def test_the_page_of_options_has_the_scalars_of_both(run, parent):
    """Of a run, and of a directory of runs."""
    from tensorboard.plugins.hparams import (
        api_pb2,
        get_experiment,
        list_session_groups,
    )

    logdir = run.parent if parent else run
    request = api_pb2.GetExperimentRequest()
    experiment = asked(logdir, get_experiment, request)
    assert {info.name for info in experiment.hparam_infos} == {"maps", "model"}
    found = {(info.name.group, info.name.tag) for info in experiment.metric_infos}
    assert found == {("train", "loss/loss"), ("validation", "quality/bleu")}
    request = api_pb2.ListSessionGroupsRequest(
        allowed_statuses=[api_pb2.STATUS_UNKNOWN], slice_size=9
    )
    (group,) = asked(logdir, list_session_groups, request).session_groups
    values = {value.name.group: value.value for value in group.metric_values}
    assert values == {"train": 1, "validation": 20}


def test_the_curves_are_those_of_both_alone(run):
    assert [(x.kind, x.name, x.step) for x in read_scalars(run / "events")] == [
        *(("train", "loss", step) for step in (1, 2)),
        *(("validation", "bleu", step) for step in (1, 2)),
    ]


def test_where_there_is_no_room_training_goes_on_without_events(tmp_path, caplog):
    """What was written before is there, and the warning comes once."""
    summaries = Summaries(tmp_path)
    with small_files():
        for step in range(99):
            summaries.scalars("train", step, {"loss": 1.0})
    assert caplog.text.count(f"{tmp_path}: no events can be written (/") == 1
    assert "File too large" in caplog.text and len(caplog.records) == 1
    written = [step for _, _, step, _ in read_scalars(tmp_path)]
    assert 9 < len(written) < 30 and written == [*range(len(written))]


def test_a_place_where_nothing_can_be_written(tmp_path, caplog):
    (tmp_path / "events").touch()
    write(tmp_path / "events", 1, 2)
    assert caplog.text.count("events: no events can be written (Not a dir") == 1
    write(None, 1)  # nor is it tried
    assert len(caplog.records) == 1
