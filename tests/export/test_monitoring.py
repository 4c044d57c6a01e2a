"""Prometheus' rules and Grafana's dashboard: the queries parsed, the fields known."""

import asyncio
import json
import re
import types
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
promql = pytest.importorskip("promql_parser", reason="promql-parser is not installed")
EXPORT = Path(__file__).parents[2] / "export"
# Metrics of TensorFlow Serving and of neural-gpu-serve with their labels; those of time
# are histograms, of microseconds and of seconds.
OWN = "neural_gpu_"
GAUGES = {
    "up": {"job"},
    "neural_gpu_in_flight": set(),
    "neural_gpu_version": set(),
    "neural_gpu_failed_versions": set(),
}
COUNTERS = {
    "neural_gpu_requests_total": {"status"},
    ":tensorflow:serving:request_count": {"model_name", "status"},
    ":tensorflow:cc:saved_model:load_attempt_count": {"model_path", "status"},
}
HISTOGRAMS = {
    "neural_gpu_request_seconds": set(),
    ":tensorflow:serving:request_latency": {"model_name", "API", "entrypoint"},
    ":tensorflow:serving:runtime_latency": {"model_name", "API", "runtime"},
    ":tensorflow:serving:batching_session:queuing_latency": {"thread_pool_name"},
    ":tensorflow:serving:batching_session:processed_batch_size": {"thread_pool_name"},
}
ATTEMPTS = ":tensorflow:cc:saved_model:load_attempt_count"
METRICS = (
    COUNTERS
    | GAUGES
    | {
        f"{name}{part}": labels | ({"le"} if part == "_bucket" else set())
        for name, labels in HISTOGRAMS.items()
        for part in ("_bucket", "_sum", "_count")
    }
)


def load(path):
    return yaml.safe_load((EXPORT / path).read_text("utf-8"))


def rules():
    groups = load("prometheus_rules.yaml")["groups"]
    assert all(group.keys() == {"name", "rules"} for group in groups)
    assert len({group["name"] for group in groups}) == len(groups) == 2
    return [rule for group in groups for rule in group["rules"]]


def dashboard():
    return json.loads((EXPORT / "grafana_dashboard.json").read_text("utf-8"))


def targets():
    return [target for panel in dashboard()["panels"] for target in panel["targets"]]


def queries():
    """All queries; what Grafana puts into them is put in."""
    grafana = [
        target["expr"].replace("$__rate_interval", "5m").replace("$model", "translate")
        for target in targets()
    ]
    return [*(rule["expr"] for rule in rules()), *grafana]


def selections(expression, above=()):
    """What a query selects: selectors and the calls and sums around each."""
    if isinstance(expression, promql.VectorSelector):
        yield expression, above
        return
    around = (*above, expression)
    if isinstance(expression, promql.MatrixSelector):
        yield from selections(expression.vector_selector, around)
    elif isinstance(expression, promql.Call):
        for argument in expression.args:
            yield from selections(argument, around)
    elif isinstance(expression, promql.AggregateExpr):
        yield from selections(expression.expr, around)
    elif isinstance(expression, promql.BinaryExpr):
        for side in (expression.lhs, expression.rhs):
            yield from selections(side, around)
    else:
        assert isinstance(expression, promql.NumberLiteral), type(expression)


@pytest.mark.parametrize("query", queries())
def test_queries_ask_for_metrics_and_labels_of_the_server(query):
    found = list(selections(promql.parse(query)))
    assert found
    for selector, around in found:
        sums = [one for one in around if isinstance(one, promql.AggregateExpr)]
        grouped = [
            label for one in sums if one.modifier for label in one.modifier.labels
        ]
        asked = {matcher.name for matcher in selector.matchers.matchers}
        of_every_metric = {"job"}
        assert asked | set(grouped) <= METRICS[selector.name] | of_every_metric


@pytest.mark.parametrize("query", queries())
def test_counters_are_taken_as_rates_and_buckets_as_quantiles(query):
    for selector, around in selections(promql.parse(query)):
        calls = {one.func.name for one in around if isinstance(one, promql.Call)}
        if selector.name in GAUGES:
            assert not calls & {"rate", "increase"}
            continue
        if selector.name == ATTEMPTS:
            assert not calls  # it begins at 1, which is no increase
            continue
        assert calls & {"rate", "increase"}
        assert ("histogram_quantile" in calls) == selector.name.endswith("_bucket")
        if selector.name.endswith("_bucket"):
            [inner] = [one for one in around if isinstance(one, promql.AggregateExpr)]
            assert inner.modifier.labels == ["le"]


def test_alerts_have_what_prometheus_wants():
    names = [rule["alert"] for rule in rules()]
    assert len(set(names)) == len(names) > 3
    for rule in rules():
        assert rule.keys() <= {"alert", "expr", "for", "labels", "annotations"}
        assert re.fullmatch(r"\d+m", rule.get("for", "0m"))
        assert rule["labels"]["severity"] in ("critical", "warning")
        assert rule["annotations"].keys() == {"summary", "description"}
        query = promql.parse(rule["expr"])
        if isinstance(query, promql.Call):
            assert query.func.name == "absent"
            [query] = query.args
        if str(query.op) == "unless":
            query = query.lhs
        # Without a threshold an alert always fires.
        assert isinstance(query, promql.BinaryExpr) and str(query.op) in (">", "==")
        assert isinstance(query.rhs, promql.NumberLiteral)


def own_samples():
    """What neural-gpu-serve offers after a request: labels by names."""
    module = pytest.importorskip("neural_gpu_tf.serving.server")

    class Versions:
        def get(self, number=None):
            return types.SimpleNamespace(number=1, signatures={})

        def states(self):
            return [(2, "END", "damaged"), (1, "AVAILABLE", "")]

    server = module.Server(Versions())
    scope = {"type": "http", "method": "POST", "path": "/v1/models/translate:predict"}
    scope |= {"headers": [], "query_string": b"", "root_path": ""}

    async def receive():
        return {"type": "http.request", "body": b"{"}

    async def send(message):
        assert message.get("status", 400) == 400

    asyncio.run(server.app()(scope, receive, send))
    samples = [x for metric in server.registry.collect() for x in metric.samples]
    values = {sample.name: sample.value for sample in samples}
    assert values["neural_gpu_failed_versions"] == values["neural_gpu_version"] == 1
    return {sample.name: {*sample.labels} for sample in samples}


def test_metrics_of_neural_gpu_serve_are_those_that_it_has():
    known = {name: METRICS[name] for name in METRICS if name.startswith(OWN)}
    samples = own_samples()
    assert known.items() <= samples.items()
    assert {name for name in samples if not name.endswith("_created")} == {*known}


def test_each_own_metric_is_watched_and_shown():
    shown = " ".join(target["expr"] for target in targets())
    alarms = " ".join(rule["expr"] for rule in rules())
    for name in METRICS:
        if name.startswith(OWN) and not name.endswith(("_sum", "_count")):
            assert name in shown and name in alarms, name


def test_own_errors_of_callers_raise_no_alarm():
    [rule] = [rule for rule in rules() if rule["alert"] == "NeuralGpuErrors"]
    statuses = re.search(r'status=~"([^"]*)"', rule["expr"])[1]
    assert all(re.fullmatch(statuses, status) for status in ("500", "503", "504"))
    callers = ("200", "400", "404", "405", "408", "413", "499")
    assert not any(re.fullmatch(statuses, status) for status in callers)


def test_errors_of_callers_raise_no_alarm():
    [rule] = [rule for rule in rules() if rule["alert"] == "TranslateErrors"]
    statuses = re.search(r'status=~"([^"]*)"', rule["expr"])[1]
    codes = pytest.importorskip("grpc", reason="grpcio is not installed").StatusCode
    assert set(statuses.split("|")) <= codes.__members__.keys()
    callers = ("OK", "INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION")
    assert not any(re.fullmatch(statuses, code) for code in callers)


def test_prometheus_scrapes_what_the_server_offers():
    config = load("prometheus.yaml")
    [job] = config["scrape_configs"]
    assert f'path: "{job["metrics_path"]}"' in (EXPORT / "monitoring.config").read_text(
        "utf-8"
    )
    [port] = re.findall(r"localhost:(\d+)", str(job["static_configs"]))
    ports = load("compose.yaml")["services"]["translate"]["ports"]
    assert f"127.0.0.1:{port}:{port}" in ports
    assert f'job="{job["job_name"]}"' in rules()[0]["expr"]
    assert all((EXPORT / name).is_file() for name in config["rule_files"])


def known_fields(given, read):
    """Fails at a field of `given` that is not in what was `read` of it."""
    if isinstance(given, dict):
        assert given.keys() <= read.keys()
        for key, value in given.items():
            known_fields(value, read[key])
    elif isinstance(given, list):
        for one, other in zip(given, read, strict=True):
            known_fields(one, other)
    else:
        assert given == read


def round_trip(given):
    """`given` as Grafana's own classes read and write it."""
    sdk = pytest.importorskip(
        "grafana_foundation_sdk.models.dashboard",
        reason="grafana-foundation-sdk is not installed",
    )
    encoder = pytest.importorskip("grafana_foundation_sdk.cog.encoder").JSONEncoder
    read = sdk.Dashboard.from_json(given)
    return json.loads(encoder().encode(read))


def test_grafana_knows_all_fields():
    known_fields(dashboard(), round_trip(dashboard()))


def test_an_unknown_field_would_be_seen():
    given = dashboard()
    given["panels"][0]["gridpos"] = {}
    with pytest.raises(AssertionError):
        known_fields(given, round_trip(given))


def test_panels_fill_the_width_and_hide_none():
    cells = [
        (place["x"] + x, place["y"] + y)
        for place in (panel["gridPos"] for panel in dashboard()["panels"])
        for x in range(place["w"])
        for y in range(place["h"])
    ]
    assert len(set(cells)) == len(cells)
    rows = 1 + max(y for _, y in cells)
    assert set(cells) == {(x, y) for x in range(24) for y in range(rows)}


def test_panels_say_what_they_show_in_the_unit_of_the_metric():
    panels = dashboard()["panels"]
    for kind in ("id", "title"):
        assert len({panel[kind] for panel in panels}) == len(panels)
    for panel in panels:
        assert panel["description"].endswith(".")
        unit = panel["fieldConfig"]["defaults"]["unit"]
        for metric, of_time in (("latency_bucket", "µs"), ("seconds_bucket", "s")):
            times = [metric in target["expr"] for target in panel["targets"]]
            assert (unit == of_time) == all(times) == any(times)
        references = [target["refId"] for target in panel["targets"]]
        assert len(set(references)) == len(references)


def test_variables_are_those_that_queries_use():
    content = json.dumps(dashboard())
    used = set(re.findall(r"\$\{?(\w+)", content)) - {"__rate_interval"}
    assert used == {one["name"] for one in dashboard()["templating"]["list"]}
