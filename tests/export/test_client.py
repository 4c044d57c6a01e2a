import json
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from small_files import NEEDS_DEV_FULL

CLIENT = Path(__file__).parents[2] / "export" / "client.py"


@pytest.fixture
def server():
    """Speaks the REST protocol; first answers with the codes in `refusals`."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            size = int(self.headers["Content-Length"])
            lines = json.loads(self.rfile.read(size))["inputs"]["text"]
            server.batches.append(lines)
            code = server.refusals.pop(0) if server.refusals else 200
            texts = {"outputs": {"text": [line.upper() for line in lines]}}
            body = json.dumps(texts if code == 200 else {"error": "no such model"})
            body = server.answers.pop(0) if server.answers else body
            self.send_response(code)
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *args):
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        server.batches, server.refusals, server.answers = [], [], []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def ask(port, text, *options):
    url = f"--url=http://127.0.0.1:{port}/v1/models/translate"
    return subprocess.run(
        [sys.executable, CLIENT, url, *options],
        input=text,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )


def test_lines_go_in_batches_and_come_back_in_order(server):
    answer = ask(server.server_port, "one\ntwo\nthree\n", "--batch=2")
    assert answer.stdout == "ONE\nTWO\nTHREE\n"
    assert server.batches == [["one", "two"], ["three"]]


def test_it_ends_without_a_word_when_its_reader_has_enough(server):
    url = f"--url=http://127.0.0.1:{server.server_port}/v1/models/translate"
    asking = subprocess.Popen(
        [sys.executable, CLIENT, url, "--batch=1"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    asking.stdout.close()
    _, told = asking.communicate(b"one\n" * 9, timeout=60)
    assert (asking.returncode, told) == (1, b"")


def test_busy_server_is_asked_again(server):
    server.refusals = [503, 504]
    assert ask(server.server_port, "one\n").stdout == "ONE\n"
    assert server.batches == [["one"]] * 3


def test_refused_request_is_not_repeated(server):
    server.refusals = [404, 404]
    answer = ask(server.server_port, "one\n")
    assert answer.returncode == 1
    assert "404" in answer.stderr and "no such model" in answer.stderr
    assert "Traceback" not in answer.stderr
    assert len(server.batches) == 1


def test_gives_up_at_the_deadline(server):
    server.refusals = [503] * 100
    start = time.monotonic()
    answer = ask(server.server_port, "one\n", "--deadline=1")
    assert time.monotonic() - start < 20
    assert answer.returncode == 1
    assert "no answer in 1 s" in answer.stderr
    assert 2 <= len(server.batches) <= 5


@pytest.mark.parametrize(
    ("given", "lines"),
    [
        (
            "one\r\n\na\rb\x0cc\u2028ü\nend".encode(),
            ["one", "", "a\rb\x0cc\u2028ü", "end"],
        ),
        (b"a\xff\n", ["a\ufffd"]),
        ("\ufeffa\n\ufeffb\n".encode(), ["a", "\ufeffb"]),
    ],
    ids=["line ends", "not UTF-8", "mark"],
)
def test_lines_are_those_that_the_binary_reads(server, given, lines):
    url = f"--url=http://127.0.0.1:{server.server_port}/v1/models/translate"
    answer = subprocess.run(
        [sys.executable, CLIENT, url], input=given, capture_output=True, timeout=60
    )
    assert server.batches == [lines]
    assert answer.stdout.decode() == "".join(f"{line.upper()}\n" for line in lines)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("<html>", "not an answer of a translator: b'<html>'"),
        ('{"outputs": [1]}', "not an answer of a translator"),
        ('{"outputs": {"text": ["A", "B"]}}', "2 answers to 1 texts"),
    ],
)
def test_what_is_no_translator_is_said(server, content, message):
    server.answers = [content]
    answer = ask(server.server_port, "one\n")
    assert (answer.returncode, answer.stdout) == (1, "")
    assert message in answer.stderr and answer.stderr.count("\n") == 1
    assert len(server.batches) == 1


@pytest.mark.parametrize(
    "option", ["--batch=0", "--url=localhost:8501", "--deadline=nan", "--deadline=-1.0"]
)
def test_bad_options_are_named(option):
    command = [sys.executable, CLIENT, option]
    answer = subprocess.run(command, input=b"one", capture_output=True, timeout=60)
    assert answer.returncode == 2
    assert f"{option}: give".encode() in answer.stderr


@pytest.mark.parametrize(
    "url", ["http://local host/v1", "http://localhost:abc/v1", "http://é.invalid/é"]
)
def test_a_url_that_can_not_be_is_refused_at_once(url):
    command = [sys.executable, CLIENT, f"--url={url}"]
    answer = subprocess.run(command, input=b"one", capture_output=True, timeout=30)
    assert answer.returncode == 1 and answer.stderr.count(b"\n") == 1
    assert b"no URL of a model" in answer.stderr


@NEEDS_DEV_FULL
def test_output_without_room_is_one_line(server):
    url = f"http://127.0.0.1:{server.server_port}/v1/models/translate"
    command = f'"$0" "$1" --url={url} > /dev/full'
    answer = subprocess.run(
        ["sh", "-c", command, sys.executable, CLIENT],
        input=b"one\n",
        capture_output=True,
        timeout=60,
    )
    assert answer.returncode == 1
    assert answer.stderr == b"standard output: No space left on device\n"
