"""What TensorBoard's own code makes of the event files."""

import html
import re

import pytest
import tensorflow as tf
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


def test_steps_of_an_abandoned_branch_do_not_count(tmp_path):
    """A killed run goes on from a checkpoint; with another cadence, other steps."""
    from tensorboard.backend.event_processing import plugin_event_accumulator

    for number, (resumed, steps) in enumerate([(0, (6, 9, 12)), (8, (10, 20))]):
        summaries = Summaries(tmp_path)
        summaries.resumed = resumed
        summaries.graph(tf.Graph())
        for step in steps:
            summaries.scalars("train", step, {"loss": step})
        summaries.scalars("validation", resumed, {"bleu": resumed})
        for path in tmp_path.glob("*/*.v2"):
            path.rename(path.with_name(f"events.out.tfevents.{number}"))
    seen = [(x.kind, x.step) for x in read_scalars(tmp_path)]
    assert seen == [
        *(("train", step) for step in (6, 10, 20)),
        *(("validation", step) for step in (0, 8)),
    ]
    for tag, steps in (
        ("train/loss/loss", [6, 10, 20]),
        ("validation/quality/bleu", [0, 8]),
    ):
        kind, _, tag = tag.partition("/")
        shown = plugin_event_accumulator.EventAccumulator(str(tmp_path / kind)).Reload()
        assert [event.step for event in shown.Tensors(tag)] == steps


def test_the_page_of_options_has_those_of_the_last_start(tmp_path):
    """Two runs with equal options are two there."""
    from tensorboard.plugins.hparams import api_pb2, list_session_groups

    for run, rate in (("a", 0.5), ("a", 0.25), ("b", 0.25)):
        summaries = Summaries(tmp_path / run / "events")
        summaries.hyperparameters({"training": {"learning_rate": rate, "seed": 0}})
        summaries.scalars("train", 1, {"loss": 1.0})
    request = api_pb2.ListSessionGroupsRequest(
        allowed_statuses=[api_pb2.STATUS_UNKNOWN], slice_size=9
    )
    groups = asked(tmp_path, list_session_groups, request).session_groups
    rates = [group.hparams["learning_rate"].number_value for group in groups]
    assert rates == [0.25, 0.25]


def test_a_place_has_one_name_in_training_and_validation(tmp_path):
    for kind in ("train", "validation"):
        Summaries(tmp_path).scalars(kind, 1, {"bits": 3.0, "right_at_bits": 0.5})
    shown = b"".join(path.read_bytes() for path in tmp_path.glob("*/*"))
    assert shown.count(b"place/bits") == 2 and b"quality" not in shown


@pytest.mark.parametrize(
    "text", ["a\\|b", "`x | y`", "__a__ *b*", "[l](u) <b> &", "C:\\*x\\_y", "un\rdeux"]
)
def test_a_table_shows_a_text_as_it_is(tmp_path, text):
    from tensorboard import plugin_util
    from tensorboard.backend.event_processing import plugin_event_accumulator

    Summaries(tmp_path).translations(3, [(text, "second", "third")])
    events = plugin_event_accumulator.EventAccumulator(
        str(tmp_path / "validation")
    ).Reload()
    (event,) = events.Tensors("translations")
    page = plugin_util.markdown_to_safe_html(event.tensor_proto.string_val[0])
    cells = [html.unescape(x) for x in re.findall(r"<td>(.*?)</td>", page, re.DOTALL)]
    assert cells == [" ".join(text.split()), "second", "third"]


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
