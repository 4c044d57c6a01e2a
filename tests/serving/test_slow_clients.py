"""neural-gpu-serve and clients that send slowly, stop, or read nothing."""

import http.client
import json
import re
import signal
import socket
import struct
import time
import urllib.error
import urllib.request

import pytest
from small_server import BYTES, CONNECTIONS, PLACES, SECONDS

from benchmarks.http_server import MODEL

PREDICT = f"POST {MODEL}:predict HTTP/1.1\r\nHost: localhost\r\n".encode()


def connect(server, sent=b""):
    connection = socket.create_connection(("127.0.0.1", server.port), timeout=30)
    connection.sendall(sent)
    return connection


def said(connection):
    """What the server sends until it ends the connection."""
    found = b""
    try:
        while part := connection.recv(65_536):
            found += part
    except ConnectionError:
        pass
    return found


def ask(server):
    body = json.dumps({"instances": ["two"]}).encode()
    with urllib.request.urlopen(f"{server.url}{MODEL}:predict", body) as answer:
        return answer.status


def test_slow_bodies_take_no_places_and_are_ended(server):
    start = time.monotonic()
    head = PREDICT + b"Content-Length: 9\r\n\r\n{"
    slow = [connect(server, head) for _ in range(PLACES + 2)]
    assert ask(server) == 200
    for connection in slow:
        head, _, body = said(connection).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 408 ")
        assert json.loads(body) == {"error": "the request was not sent within 2 s"}
    assert SECONDS <= time.monotonic() - start < 3 * SECONDS


def test_connections_with_no_request_end(server):
    get = PREDICT.replace(b"POST", b"GET") + b"\r\nGET /"
    kinds = {sent: connect(server, sent) for sent in (b"", b"G", PREDICT, get)}
    start = time.monotonic()
    while time.monotonic() < start + SECONDS / 2:  # uvicorn waits as long as bytes come
        time.sleep(0.2)
        for sent, connection in kinds.items():
            if sent:
                connection.sendall(b"a")
    for connection in kinds.values():
        said(connection)
        assert time.monotonic() - start < 3 * SECONDS


def test_what_nobody_reads_is_not_kept(server):
    start, page = time.monotonic(), b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
    connection = connect(server)
    connection.settimeout(0.5)
    with pytest.raises(ConnectionError):
        while time.monotonic() < start + 10 * SECONDS:
            try:
                connection.sendall(100 * page)
            except TimeoutError:
                pass


def test_a_connection_lives_on_between_requests(server):
    connection, used = http.client.HTTPConnection("127.0.0.1", server.port), set()
    for _ in range(6):
        connection.request("GET", MODEL)
        assert connection.getresponse().read()
        used.add(connection.sock)
        time.sleep(SECONDS / 4)
    assert len(used) == 1 and None not in used


def test_a_client_that_leaves_is_no_fault_of_the_server(server):
    connection = connect(server, PREDICT + b"Content-Length: 9\r\n\r\n{")
    now = struct.pack("ii", 1, 0)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, now)
    connection.close()
    until, counted = time.monotonic() + 30, None
    while not counted and time.monotonic() < until:
        address = f"{server.url}/monitoring/prometheus/metrics"
        with urllib.request.urlopen(address) as answer:
            metrics = answer.read().decode()
        counted = re.search(r'neural_gpu_requests_total\{status="499"\} 1\.0', metrics)
    assert counted and 'status="500"' not in metrics
    assert "neural_gpu_in_flight 0.0" in metrics
    assert "Traceback" not in server.log.read_text()


def test_the_claim_of_a_huge_body_is_refused_at_once(server):
    start = time.monotonic()
    head = f"Content-Length: {BYTES + 1}\r\nConnection: close\r\n\r\n".encode()
    answer = said(connect(server, PREDICT + head))
    assert answer.startswith(b"HTTP/1.1 413 ") and b"more than 20000 bytes" in answer
    assert time.monotonic() - start < SECONDS


@pytest.mark.parametrize(
    "path, data, status",
    [("/v1", None, 404), (f"{MODEL}:predict", None, 405), ("/", b"x", 405)],
)
def test_wrong_places_are_told_as_json(server, path, data, status):
    with pytest.raises(urllib.error.HTTPError) as error:
        urllib.request.urlopen(server.url + path, data)
    assert error.value.code == status and set(json.load(error.value)) == {"error"}


def test_no_more_connections_than_are_legal(server):
    many = [connect(server) for _ in range(CONNECTIONS - 1)]
    assert ask(server) == 200  # by the last one that is legal
    many.append(connect(server))
    with pytest.raises(urllib.error.HTTPError, match="503"):
        ask(server)
    for connection in many:
        connection.close()
    time.sleep(0.5)
    assert ask(server) == 200


def test_held_connections_do_not_keep_a_server_that_is_told_to_end(server):
    """The last test of all: the server is gone after it."""
    head = b"Content-Length: 9\r\n\r\n{"
    held = connect(server, PREDICT + head), connect(server)
    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(30) in (0, -signal.SIGTERM)
    assert all(said(connection)[9:12] in (b"", b"408") for connection in held)
