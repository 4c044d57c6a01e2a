"""A wheel of the tree, in an environment of its own and outside the tree."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

TREE = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The environment's bin/."""
    folder = tmp_path_factory.mktemp("installed")
    # Built from a copy: a folder build/ in the tree would go into later wheels.
    tree = folder / "tree"
    for name in ("neural_gpu_tf", "configs"):
        shutil.copytree(TREE / name, tree / name)
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(TREE / name, tree)
    pip = [sys.executable, "-m", "pip", "--quiet"]
    options = ["--no-deps", f"--wheel-dir={folder}"]
    subprocess.run([*pip, "wheel", *options, tree], check=True)
    (wheel,) = folder.glob("neural_gpu_tf-*.whl")
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    own = folder / "venv/bin"
    install = [own / "python", "-m", "pip", "--quiet", "install", f"{wheel}[serve]"]
    subprocess.run(install, check=True)
    return own


def run(installed, folder, command, *arguments, stdin=""):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    done = subprocess.run(
        [installed / command, *arguments],
        cwd=folder,
        env=environment,
        input=stdin,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_trains_exports_solves_and_serves(installed, tmp_path):
    where = "import neural_gpu_tf; print(neural_gpu_tf.__file__)"
    assert str(installed.parent) in run(installed, tmp_path, "python", "-c", where)
    few = ["--train_steps=2", "--validation_examples=4", "--train_examples=64"]
    run(installed, tmp_path, "neural-gpu-train", "--config=demo", "--run_dir=R", *few)
    run(installed, tmp_path, "neural-gpu-export", "--run_dir=R", "--export_dir=E")
    line = ["neural-gpu-translate", "--export_dir=E/1"]
    assert run(installed, tmp_path, *line, stdin="May 5, 2031\n").endswith("\n")
    sum_ = ["neural-gpu-solve", "--pretrained=badd", "1011 + 110"]
    assert run(installed, tmp_path, *sum_).strip() == "10001"
    assert served(installed, tmp_path / "E", "May 5, 2031").keys() == {
        "text",
        "log_probability",
        "size",
    }


def served(installed, export, text):
    """What neural-gpu-serve answers over HTTP."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [installed / "neural-gpu-serve", f"--export_dir={export}"]
    server = subprocess.Popen([*command, f"--port={port}"], cwd=export.parent)
    url = f"http://127.0.0.1:{port}/v1/models/translate"
    try:
        for _ in range(120):
            try:
                urllib.request.urlopen(url)
                break
            except OSError:
                assert server.poll() is None
                time.sleep(0.5)
        body = json.dumps({"instances": [text]}).encode()
        with urllib.request.urlopen(f"{url}:predict", body) as answer:
            return json.load(answer)["predictions"][0]
    finally:
        server.terminate()
        server.wait(60)
