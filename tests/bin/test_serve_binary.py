import socket

import pytest


@pytest.mark.parametrize(
    "arguments, message",
    [
        ([], "--export_dir is empty; name what neural-gpu-export wrote"),
        (["--export_dir=/nowhere"], "/nowhere: nothing to serve (no version is in it)"),
        (["--export_dir=x", "--port=70000"], "70000 is not an integer in the range"),
        (["--port=0"], "0 is not an integer in the range [1, 65535]"),
        (["--max_seconds=inf"], "inf is not a number in the range [0.001, 86400.0]"),
        (["--max_seconds=nan"], "--max_seconds=nan: must be a finite number"),
        (["--poll_seconds=inf"], "--poll_seconds=inf: must be a finite number"),
        (["--poll_seconds=0"], "0.0 is not number >= 0.1"),
        (["more"], "'more': not a flag"),
        (["--export_dir=x", "--host="], "--host= is empty; 0.0.0.0 listens on all"),
        (["--export_dir=x", "--host=999.1"], "--host=999.1 --port=8501: "),
    ],
)
def test_bad_input_is_one_line(run_binary, arguments, message):
    answer = run_binary("serve", *arguments)
    assert answer.status == 2 and answer.out == ""
    assert message in answer.err and answer.err.count("\n") == 1, answer.err


def test_a_port_that_is_taken_is_told_before_anything_is_loaded(run_binary):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        answer = run_binary("serve", "--export_dir=/nowhere", f"--port={port}")
    assert answer.status == 2 and answer.err.count("\n") == 1
    assert f"--port={port}: Address already in use; choose another" in answer.err
