"""The server's configuration, parsed as the protocol buffers that it reads."""

from pathlib import Path

import pytest
from google.protobuf import (
    descriptor_pb2,
    descriptor_pool,
    message_factory,
    text_format,
    wrappers_pb2,
)

EXPORT = Path(__file__).parents[2] / "export"
FIELD = descriptor_pb2.FieldDescriptorProto
INT64 = ".google.protobuf.Int64Value"
# Fields that tensorflow-serving-api has not, as in session_bundle_config.proto and
# monitoring_config.proto of TensorFlow Serving.
MESSAGES = {
    "BatchingParameters": [
        ("max_batch_size", 1, INT64),
        ("batch_timeout_micros", 2, INT64),
        ("max_enqueued_batches", 3, INT64),
        ("num_batch_threads", 4, INT64),
    ],
    "PrometheusConfig": [
        ("enable", 1, FIELD.TYPE_BOOL),
        ("path", 2, FIELD.TYPE_STRING),
    ],
    "MonitoringConfig": [("prometheus_config", 1, ".PrometheusConfig")],
}


def message_class(name):
    """The class of one of MESSAGES, in a pool of its own."""
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(wrappers_pb2.DESCRIPTOR.serialized_pb)
    file = descriptor_pb2.FileDescriptorProto(name="configs.proto", syntax="proto3")
    file.dependency.append(wrappers_pb2.DESCRIPTOR.name)
    for message, fields in MESSAGES.items():
        added = file.message_type.add(name=message)
        for field, number, kind in fields:
            one = added.field.add(name=field, number=number, label=FIELD.LABEL_OPTIONAL)
            if isinstance(kind, str):
                one.type, one.type_name = FIELD.TYPE_MESSAGE, kind
            else:
                one.type = kind
    pool.AddSerializedFile(file.SerializeToString())
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(name))


def parse(file, message):
    return text_format.Parse((EXPORT / file).read_text(), message)


def test_batching():
    batching = parse("batching.config", message_class("BatchingParameters")())
    values = {field.name: value.value for field, value in batching.ListFields()}
    assert values.keys() == {name for name, *_ in MESSAGES["BatchingParameters"]}
    assert all(value > 0 for value in values.values())
    assert values["batch_timeout_micros"] <= 50_000  # a lone request waits so long
    waiting = values["max_enqueued_batches"] * values["max_batch_size"]
    assert waiting <= 10_000  # beyond it requests are refused at once


def test_monitoring():
    monitoring = parse("monitoring.config", message_class("MonitoringConfig")())
    assert monitoring.prometheus_config.enable
    assert monitoring.prometheus_config.path == "/monitoring/prometheus/metrics"


def test_two_versions_have_the_labels_stable_and_canary():
    protos = pytest.importorskip(
        "tensorflow_serving.config.model_server_config_pb2",
        reason="tensorflow-serving-api is not installed",
    )
    [model] = parse(
        "models.config", protos.ModelServerConfig()
    ).model_config_list.config
    assert (model.name, model.base_path) == ("translate", "/models/translate")
    assert model.model_platform == "tensorflow"
    versions = model.model_version_policy.specific.versions
    assert dict(model.version_labels) == {"stable": 1, "canary": 2}
    assert sorted(versions) == sorted(model.version_labels.values())


@pytest.mark.parametrize("text", ["max_batch { value: 1 }", "max_batch_size: 1"])
def test_a_wrong_parameter_would_be_seen(text):
    with pytest.raises(text_format.ParseError):
        text_format.Parse(text, message_class("BatchingParameters")())
