"""Measures what benchmarks/RESULTS.md tells, and writes it: `make bench`.

python -m benchmarks.report                                   # all
python -m benchmarks.report --only=tokenize --only=serve --run_dir=runs/demo
make bench BENCH="--torch_python=PYTHON --peers_dir=DIR --data_dir=MULTI30K"

PYTHON has PyTorch and CTranslate2; without them and Multi30k the peers that need them
are left out. What is not measured again stays as it is.
"""

import datetime
import importlib.util
import itertools
import json
import platform
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from absl import flags

from benchmarks import peers_figure, starting, worker
from benchmarks import report_texts as texts
from benchmarks.train_step import OPTIONS, measure
from neural_gpu_tf.cores import usable_cores

RESULTS = Path(__file__).with_name("RESULTS.md")
FIGURES = Path(__file__).with_name("figures")
DEMO = Path(__file__).parents[1] / "configs" / "demo.flags"

SETTINGS = [
    ("extended_neural_gpu", 64, 20),
    ("extended_neural_gpu", 64, 40),
    ("extended_neural_gpu", 24, 20),
    ("extended_neural_gpu", 24, 40),
    ("neural_gpu", 64, 20),
    ("neural_gpu", 24, 20),
]
AUTHORS = {
    "model": "diagonal_neural_gpu",
    "width": 1,
    "layers": 1,
    "dropout": 0.1,
    "lengths": "8,12,16,20,25,28,31,36,41",
}
OF_RECURRENT = {
    "maps": 256,
    "layers": 1,
    "bidirectional": 1,
    "vocab": 8000,
    "batch": 64,
    "cores": 1,
}


def where() -> str:
    """When, on what and with what it was measured."""
    packages = f"TensorFlow {version('tensorflow')}, Keras {version('keras')}"
    return (
        f"Written by `make bench` on {datetime.date.today()}: "
        f"{usable_cores()} cores ({platform.machine()}), Python "
        f"{platform.python_version()},\n{packages}"
    )


def of_process(module: str, *arguments: str) -> Any:
    """What of JSON a benchmark, in a process of its own, prints."""
    command = [sys.executable, "-m", f"benchmarks.{module}", *arguments, "--json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def cells(one: dict[str, Any]) -> str:
    """What is told of each contender."""
    low, high = one["quartiles"]
    return (
        f"{one['median']:.3f} s | {low:.3f}-{high:.3f} | {one['first']:.1f} s "
        f"| {one['memory'] / 1e9:.2f} GB"
    )


def rows(model: str, maps: int, length: int, peers: list[str]) -> list[str]:
    """The lines of one setting."""
    options = OPTIONS | {"model": model, "maps": maps, "length": length}
    result = measure(options, peers, torch_python=flags.FLAGS.torch_python)
    shares = ("share_of_ceiling", "convolutions_of_ceiling")
    own = " | ".join(f"{result[share]:.0%}" for share in shares)
    lines = []
    for name in ("package", *peers):
        one = result[name]
        lines.append(
            f"| {model} | {maps}, {length} | {name} | {cells(one)} "
            f"| {one.get('ratio', 1):.2f} "
            f"| {own if name == 'package' else ' | '} |"
        )
    return lines


def train_step() -> str:
    """The package's step and its peers'."""
    torch = flags.FLAGS.torch_python or importlib.util.find_spec("torch")
    peers = ["naive"] + ["torch"] * bool(torch)
    text = texts.TRAIN_STEP.format(where=where())
    for setting in SETTINGS:
        for line in rows(*setting, peers):
            print(line, flush=True)
            text += line + "\n"
    return text


def diagonal_step() -> str:
    """The package's step on the diagonal Neural GPU's own setting."""
    text = texts.DIAGONAL.format(where=where(), **OPTIONS | AUTHORS)
    for maps in (48, 96):
        result = measure(OPTIONS | AUTHORS | {"maps": maps}, [])
        share = result["share_of_ceiling"]
        text += f"| {maps} | {cells(result['package'])} | {share:.0%} |\n"
    return text


def step_memory() -> str:
    """With and without checkpointing."""
    text, without = texts.MEMORY.format(where=where()), 0.0
    for checkpointing in (0, 1):
        options = OPTIONS | {"length": 40, "gradient_checkpointing": checkpointing}
        one = measure(options, [])["package"]
        without = without or one["median"]
        name = "`--gradient_checkpointing`" if checkpointing else "without"
        text += f"| {name} | {cells(one)} | {one['median'] / without:.2f} |\n"
    return text


def recurrent_step() -> str:
    """The recurrent models against PyTorch, where it is."""
    python, rounds = flags.FLAGS.torch_python or sys.executable, 8
    asked = [python, "-c", "import torch; print(torch.__version__)"]
    told = subprocess.run(asked, capture_output=True, text=True)
    peers = ["torch"] * (told.returncode == 0)
    torch = told.stdout.strip() or "not installed"
    text = texts.RECURRENT.format(where=where(), torch=torch, rounds=rounds)
    for model, n in itertools.product(worker.RECURRENT, (16, 40)):
        options = OPTIONS | OF_RECURRENT | {"model": model, "length": n}
        result = measure(options, peers, rounds, torch_python=python)
        for name in ("package", *peers):
            one = result[name]
            ratio = f"{1 / result['torch']['processor']['ratio']:.2f}" if peers else ""
            line = (
                f"| {model} | {n} | {name} | {cells(one | one['processor'])} "
                f"| {ratio if name == 'package' else '1.00'} |"
            )
            print(line, flush=True)
            text += line + "\n"
    return text


def tokenize() -> str:
    """Both ways, the package's and the naive one."""
    result = of_process("tokenize")
    text = texts.TOKENIZE.format(where=where(), **result)
    for what in ("tokenize", "detokenize"):
        for name, row in result[what].items():
            speed, ratio = row["sentences_per_second"], row.get("ratio", 1)
            text += f"| {what} | {name} | {speed:,.0f} | {ratio:.2f} |\n"
    return text


def input_pipeline() -> str:
    """Of the demo, which has small batches of short sentences."""
    result = of_process("input_pipeline", f"--flagfile={DEMO}")
    return texts.INPUT_PIPELINE.format(where=where(), **result, **result.pop("alone"))


def serve() -> str:
    """The run of `make demo`, or another one."""
    run_dir = flags.FLAGS.run_dir
    model = json.loads(Path(run_dir, "config.json").read_text("utf-8"))["model"]
    about = ", ".join(f"{k} {model[k]}" for k in ("model", "maps", "width", "layers"))
    result = of_process("serve", f"--run_dir={run_dir}")
    text = texts.SERVE.format(where=where(), about=about, **result)
    for threads, row in result.items():
        if threads.isdecimal():
            latency = row["latency"]
            text += (
                f"| {threads} | {1e3 * latency['p50']:.1f} ms "
                f"| {1e3 * latency['p95']:.1f} ms "
                f"| {row['sentences_per_second']:.1f} sentences/s "
                f"| {row['load']:.1f} s | {1e3 * row['first']:.0f} ms "
                f"| {row['memory'] / 1e9:.2f} GB |\n"
            )
    return text


def starts() -> str:
    """Of commands that answer one question."""
    rounds = 5
    lines = starting.markdown(starting.measure(starting.COMMANDS, rounds))
    text = texts.STARTING.format(where=where(), rounds=rounds)
    return text + "\n".join(lines) + "\n"


def frontier() -> str:
    """The pretrained translator and what users would take instead."""
    values, sentences = flags.FLAGS, 200
    rows = of_process(
        "serve",
        "--peers",
        f"--peers_dir={values.peers_dir}",
        f"--peers_python={values.torch_python or sys.executable}",
        f"--data_dir={values.data_dir}",
        f"--sentences={sentences}",
        f"--figures={FIGURES}",
    )
    text = texts.FRONTIER.format(where=where(), sentences=sentences)
    return text + peers_figure.table([peers_figure.Row(**row) for row in rows])


SECTIONS = {
    "train_step": train_step,
    "step_memory": step_memory,
    "diagonal_step": diagonal_step,
    "recurrent_step": recurrent_step,
    "tokenize": tokenize,
    "input_pipeline": input_pipeline,
    "serve": serve,
    "starting": starts,
    "frontier": frontier,
}


def with_section(text: str, section: str) -> str:
    """The text with a section in place of the one of the same title, or at its end."""
    title, _, _ = section.partition("\n")
    sections = [part for part in ("\n" + text).split("\n# ") if part.strip()]
    sections = [f"# {part.strip()}\n" for part in sections]
    titles = [part.partition("\n")[0] for part in sections]
    place = titles.index(title) if title in titles else len(sections)
    sections[place : place + 1] = [section.strip() + "\n"]
    return "\n".join(sections)


def main(argv: Sequence[str]) -> None:
    app.no_arguments(argv)
    values = flags.FLAGS
    names = values.only or list(SECTIONS)
    if "serve" in names and not Path(values.run_dir, "config.json").exists():
        print(f"--run_dir={values.run_dir}: no run, so no serving; run `make demo`")
        names.remove("serve")
    if "frontier" in names and not (values.peers_dir and values.data_dir):
        print("no frontier: name --peers_dir and --data_dir, see benchmarks/serve.py")
        names.remove("frontier")
    for name in names:
        section = SECTIONS[name]()
        print(section, flush=True)
        RESULTS.write_text(with_section(RESULTS.read_text("utf-8"), section), "utf-8")


if __name__ == "__main__":
    from neural_gpu_tf.bin import app

    flags.DEFINE_multi_enum("only", [], list(SECTIONS), "what to measure; empty: all")
    flags.DEFINE_string("torch_python", "", "Python that has PyTorch; else this one")
    flags.DEFINE_string("run_dir", "runs/demo", "a trained run, to serve")
    flags.DEFINE_string("peers_dir", "", "of the frontier: where its Transformer is")
    flags.DEFINE_string("data_dir", "", "of the frontier: the folder of Multi30k")
    app.run(main)
