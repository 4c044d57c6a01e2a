import json
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

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
            self.send_response(code)
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *args):
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        server.batches, server.refusals = [], []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def ask(port, text, *options):
    url = f"--url=http://127.0.0.1:{port}/v1/models/translate"
    return subprocess.run(
        [sys.executable, CLIENT, url, *options],
        input=text,
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_lines_go_in_batches_and_come_back_in_order(server):
    answer = ask(server.server_port, "one\ntwo\nthree\n", "--batch=2")
    assert answer.stdout == "ONE\nTWO\nTHREE\n"
    assert server.batches == [["one", "two"], ["three"]]


def test_busy_server_is_asked_again(server):
    server.refusals = [503, 429]
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
