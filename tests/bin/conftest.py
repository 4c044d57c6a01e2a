import importlib
import io
import sys
from typing import NamedTuple

import pytest
from absl import app, flags


class Answer(NamedTuple):
    status: int
    out: str
    err: str


@pytest.fixture
def run_binary(monkeypatch, capsys):
    """Runs a binary in this process, with flags of its own."""
    app.define_help_flags()

    def run(name: str, *arguments: str, stdin: bytes = b"") -> Answer:
        known = set(flags.FLAGS)
        module = importlib.import_module(f"neural_gpu_tf.bin.{name}")
        monkeypatch.setattr(sys, "argv", [f"neural-gpu-{name}", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        status = 0
        try:
            module.cli()
        except SystemExit as end:
            status = end.code or 0
        finally:
            for flag in set(flags.FLAGS) - known:
                delattr(flags.FLAGS, flag)
            flags.FLAGS.unparse_flags()
            del sys.modules[module.__name__]
        return Answer(status, *capsys.readouterr())

    return run
