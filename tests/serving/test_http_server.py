"""neural-gpu-serve, as its clients meet it."""

import base64
import html
import json
import re
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest
import tiny
from browser import NEEDS_CHROMIUM, shown
from small_server import INSTANCES, PLACES

LINES = ["two six", "", "five"]


def ask(server, body, path="/v1/models/translate:predict"):
    """Status and JSON of the answer to a body: bytes, or what is written as JSON."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(server.url + path, data, timeout=60) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def expected(lines):
    found = tiny.translator().translate(lines)
    found = {name: values.numpy().tolist() for name, values in found.items()}
    return [text.decode() for text in found["text"]], found["size"]


def test_rows_and_columns_as_tensorflow_serving_has_them(server):
    texts, sizes = expected(LINES)
    status, rows = ask(server, {"instances": LINES})
    assert status == 200 and set(rows) == {"predictions"}
    assert [row["text"] for row in rows["predictions"]] == texts
    assert [row["size"] for row in rows["predictions"]] == sizes
    assert set(rows["predictions"][0]) == {"text", "log_probability", "size"}
    named = [{"text": line} for line in LINES]
    assert ask(server, {"instances": named}) == (200, rows)
    packed = [{"b64": base64.b64encode(x.encode()).decode()} for x in LINES]
    assert ask(server, {"instances": packed}) == (200, rows)
    status, columns = ask(server, {"inputs": {"text": LINES}})
    assert status == 200 and columns["outputs"]["text"] == texts
    assert ask(server, {"inputs": LINES}) == (200, columns)
    assert ask(server, {"inputs": LINES, "signature_name": ""}) == (200, columns)
    number = "/v1/models/translate/versions/1:predict"
    assert ask(server, {"inputs": LINES}, number) == (200, columns)
    long = {"signature_name": "too_long", "instances": ["a", "two " * 900]}
    assert ask(server, long) == (200, {"predictions": [False, True]})


def symbols(one):
    """A request with one symbol, as it is written."""
    return b'{"signature_name": "detokenize", "instances": [[%s]]}' % one.encode()


@pytest.mark.parametrize(
    "body, status, message",
    [
        (b"", 400, "JSON parse error"),
        (b"{", 400, "JSON parse error"),
        (b"\xff\xfe", 400, "JSON parse error"),
        (b"[" * 15_000, 400, "JSON parse error"),
        ([], 400, "not an object"),
        ({}, 400, "either 'instances' or 'inputs'"),
        ({"instances": [], "inputs": []}, 400, "either"),
        ({"instances": []}, 400, "not empty"),
        ({"instances": "two"}, 400, "must be a list"),
        ({"instances": [5]}, 400, "int where a string must stand"),
        ({"instances": [["two"]]}, 400, "has the shape (1, 1)"),
        ({"instances": ["two", ["six"]]}, 400, "lists differ in length or depth"),
        (b'{"inputs": ' + b"[" * 40 + b'"a"' + b"]" * 40 + b"}", 400, "has the shape"),
        (b'{"inputs": ' + b"[" * 70 + b'"a"' + b"]" * 70 + b"}", 400, "or depth"),
        ({"instances": [{"texts": "two"}]}, 400, "the signature takes ['text']"),
        ({"instances": [{"text": "a"}, {"b": "a"}]}, 400, "differ in their inputs"),
        ({"instances": [{"b64": "%"}]}, 400, "input 'text'"),
        ({"instances": ["a"], "signature_name": "x"}, 400, "choose one of"),
        ({"instances": ["a"], "signature_name": {}}, 400, "choose one of"),
        ({"inputs": "two"}, 400, "has the shape ()"),
        ({"instances": ["a"] * 9}, 400, "9 instances: at most 8"),
        ({"instances": ["a" * 30_000]}, 413, "more than 20000 bytes"),
        (b'{"inputs": ' + b"[" * 9_000 + b"]" * 9_000 + b"}", 400, "recursion"),
        (symbols("1.5"), 400, "float where a whole number must stand"),
        (symbols("true"), 400, "bool where a whole number must stand"),
        (symbols('"5"'), 400, "str where a whole number must stand"),
        (symbols("NaN"), 400, "float where"),
        (symbols("2147483648"), 400, "out of bounds"),
        (symbols("999"), 400, "symbol [999]: symbols are 0 to "),
        (symbols("9" * 5_000), 400, "JSON parse error"),
        (b'{"instances": ["a"], "signature_name": "' + b"x" * 9_000 + b'"}', 400, "xx"),
    ],
)
def test_what_is_wrong_is_refused_in_a_line(server, body, status, message):
    found, answer = ask(server, body)
    assert found == status and set(answer) == {"error"}
    assert message in answer["error"] and "\n" not in answer["error"]
    assert len(answer["error"]) <= 500


def test_texts_of_any_kind_have_an_answer(server):
    texts = ["\x00\x1b[31m", "\u202eabc\u0301", "\ud83d\ude00", "a" * 5_000, " \n"]
    raw = [{"b64": base64.b64encode(x).decode()} for x in (b"\xff\xfe", b"\xed\xa0")]
    for instances in (texts, raw):
        status, answer = ask(server, {"instances": instances})
        assert status == 200 and len(answer["predictions"]) == len(instances)
    half = ask(server, b'{"instances": ["two \\ud800"]}')  # of a character
    assert half == ask(server, {"instances": ["two \ufffd"]}) and half[0] == 200
    assert half != ask(server, {"instances": ["two ?"]})


def test_status_metadata_and_metrics(server):
    def get(path):
        with urllib.request.urlopen(server.url + path, timeout=30) as answer:
            return answer.read().decode()

    status = json.loads(get("/v1/models/translate"))["model_version_status"]
    assert status == [
        {
            "version": "1",
            "state": "AVAILABLE",
            "status": {"error_code": "OK", "error_message": ""},
        }
    ]
    metadata = json.loads(get("/v1/models/translate/metadata"))
    spec = {"name": "translate", "signature_name": "", "version": "1"}
    assert metadata["model_spec"] == spec
    signatures = metadata["metadata"]["signature_def"]["signature_def"]
    default = signatures["serving_default"]
    shape = {"dim": [{"size": "-1", "name": ""}], "unknown_rank": False}
    text = {"dtype": "DT_STRING", "tensor_shape": shape, "name": "text"}
    assert default["inputs"] == {"text": text} and default["outputs"]["text"] == text
    assert default["outputs"]["size"]["dtype"] == "DT_INT32"
    assert default["method_name"] == "tensorflow/serving/predict"
    assert (
        len(signatures["detokenize"]["inputs"]["symbols"]["tensor_shape"]["dim"]) == 2
    )
    ask(server, {"instances": ["two"]})
    metrics = get("/monitoring/prometheus/metrics")
    assert 'neural_gpu_requests_total{status="200"}' in metrics
    assert "neural_gpu_version 1.0" in metrics
    for path in ("/v1/models/other", "/v1/models/translate/versions/9"):
        with pytest.raises(urllib.error.HTTPError, match="404"):
            get(path)
    for number in ("9", "-1", "x", "9" * 5_000):
        assert ask(server, {}, f"/v1/models/translate/versions/{number}:predict") == (
            404,
            {"error": f"no version {number} of translate is served"[:500]},
        )
    assert "<title>translate</title>" in get("/")


def test_a_full_server_refuses_at_once(server):
    many = {"instances": ["two six five"] * INSTANCES}
    with ThreadPoolExecutor(4 * PLACES) as pool:
        found = [*pool.map(lambda _: ask(server, many), range(8 * PLACES))]
    kinds = {status: answer for status, answer in found}
    assert 503 in kinds and set(kinds) <= {200, 503}
    assert kinds[503] == {"error": "too many requests wait; try again later"}
    assert ask(server, {"instances": ["two"]})[0] == 200  # it has recovered


@NEEDS_CHROMIUM
def test_the_page_answers_in_a_browser(server):
    (text,), _ = expected(["two six"])
    page = shown(f"{server.url}/?text=two%20six")
    answer = re.search(r"<output[^>]*>(.*?)</output>", page, re.DOTALL)[1]
    assert html.unescape(answer) == text and "log probability" in page
    sizes = re.search(r'<table id="sizes">(.*?)</table>', page, re.DOTALL)[1]
    symbols = int(tiny.tokenizer().tokenize(["two six"]).row_lengths()[0])
    first = re.findall(r"<tr[^>]*><td>(\d+)</td>", sizes)
    assert list(map(int, first)) == list(range(symbols, 2 * symbols + 1))
    assert '<tr class="won">' in sizes and '<table id="alignment" hidden' in page
