"""Trainings of `neural-gpu-train` in processes of their own."""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.files import write_atomically


def run_module(module: str, arguments: Sequence[str], output: Any = None) -> str:
    """Runs a module as a program; what it prints on standard output.

    Args:
        module: its name.
        arguments: of its command line.
        output: a file that gets what it prints; "" is returned then.

    Raises:
        InputError: it failed; why is what it wrote to standard error, which is ours.
    """
    command = [sys.executable, "-m", module, *arguments]
    output = subprocess.PIPE if output is None else output
    done = subprocess.run(command, check=False, stdout=output, text=True)
    if done.returncode:
        raise InputError(
            f"{module} ended with status {done.returncode}; why is said above"
        )
    return done.stdout or ""


def train(
    run_dir: Path, options: Mapping[str, Any], arguments: Sequence[str] = ()
) -> None:
    """Trains, unless this run is done; one that was cut short goes on.

    Args:
        run_dir: of the run.
        options: flags by their names, which overrule those of `arguments`.
        arguments: flags as a command line has them.

    Raises:
        InputError: the training failed.
    """
    if _is_done(run_dir):
        return
    own = [f"--{name}={value}" for name, value in options.items()]
    given = [*arguments, *own, f"--run_dir={run_dir}"]
    run_module("neural_gpu_tf.bin.train", given, sys.stderr)


def _is_done(run_dir: Path) -> bool:
    """Whether a run has come to its end, the selection of its weights included."""
    summary, path = run_dir / "summary.json", run_dir / "config.json"
    if not summary.exists():
        return False
    selected = "selected_step" in json.loads(summary.read_text("utf-8"))
    if selected or not path.exists():  # or only its summary was kept
        return True
    task = json.loads(path.read_text("utf-8"))["task"]
    return not task.get("selection_cases")


def given_flags(arguments: Sequence[str]) -> dict[str, str]:
    """The flags of `neural-gpu-train` behind a `--`, by their names.

    Raises:
        InputError: one is not written as --name=value.
    """
    for argument in arguments:
        if not argument.startswith("--") or "=" not in argument:
            raise InputError(f"{argument!r}: behind -- flags are --name=value")
    return dict(argument.removeprefix("--").split("=", 1) for argument in arguments)


def same_settings(
    out: Path, settings: Mapping[str, Any], name: str = "settings"
) -> None:
    """Keeps in DIR/NAME.json what a folder's rows are made with.

    Raises:
        InputError: what is there already was made with others.
    """
    path = out / f"{name}.json"
    if not path.exists():
        out.mkdir(parents=True, exist_ok=True)
        write_atomically(path, (json.dumps(settings, indent=2) + "\n").encode())
    known = json.loads(path.read_text("utf-8"))
    for name in {**known, **settings}:
        here, given = (json.dumps(x.get(name)) for x in (known, settings))
        if here != given:
            raise InputError(
                f"{path}: the runs here are of {name} = {here}, not {given}; give "
                "that, or another --out"
            )
