"""Measures what benchmarks/RESULTS.md tells, and writes it: `make bench`.

python -m benchmarks.report                                   # all
python -m benchmarks.report --only=tokenize --only=serve --run_dir=runs/demo

What is not measured again stays as it is.
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

from absl import app, flags

from benchmarks import worker
from benchmarks.train_step import OPTIONS, measure
from neural_gpu_tf.cores import usable_cores

RESULTS = Path(__file__).with_name("RESULTS.md")
DEMO = Path(__file__).parents[1] / "configs" / "demo.flags"

SETTINGS = [
    ("extended_neural_gpu", 64, 20),
    ("extended_neural_gpu", 64, 40),
    ("extended_neural_gpu", 24, 20),
    ("extended_neural_gpu", 24, 40),
    ("neural_gpu", 64, 20),
    ("neural_gpu", 24, 20),
]
TRAIN_STEP = """# Speed and memory of a training step

{where}, float32; B = 32, w = 4, l = 2, vocabulary 16.
A step is forward, loss, backward, clipping and Adam. Medians, each contender in a
process of its own, in turns; *first* is the first step with all that comes before it.
*Ratio* is the contender's median over the package's. The share is of the speed of
matrix products, measured in the same run, by the FLOPs of the convolutions that are
needed (`benchmarks/formulas.py`); *alone* is the share that TensorFlow's convolutions
reach by themselves, on the same shapes, forward and backward.

| model | m, n | code | step | quartiles | first | memory | ratio | share | alone |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""
DIAGONAL = """# Training step of the diagonal Neural GPU

{where}, float32. The setting of its authors: w = 1, l = 1,
dropout {dropout}, vocabulary {vocab}, in every step {batch} sequences of each of the
lengths {lengths}. Columns as above.

| m | step | quartiles | first | memory | share |
| --- | --- | --- | --- | --- | --- |
"""
AUTHORS = {
    "model": "diagonal_neural_gpu",
    "width": 1,
    "layers": 1,
    "dropout": 0.1,
    "lengths": "8,12,16,20,25,28,31,36,41",
}
RECURRENT = """# Training step of the recurrent models

{where}, float32, one core: seconds of the processor, which
other work on the machine changes less. B = 64, 256 units, embeddings of 256, one
layer, GRU, the encoder in both directions, vocabulary 8,000, every target as long as n;
*torch* is `benchmarks/textbook_torch_recurrent.py`, PyTorch {torch}. Contenders in
turns; *ratio* is the package's median over PyTorch's. One line is told by
`python -m benchmarks.train_step --model=MODEL --length=N --maps=256 --layers=1
--bidirectional=1 --vocab=8000 --batch=64 --cores=1 --peer=torch --torch_python=PYTHON
--rounds={rounds}`.

| model | n | code | step | quartiles | first | memory | ratio |
| --- | --- | --- | --- | --- | --- | --- | --- |
"""
OF_RECURRENT = {
    "maps": 256,
    "layers": 1,
    "bidirectional": 1,
    "vocab": 8000,
    "batch": 64,
    "cores": 1,
}
TOKENIZE = """# Spell-out tokenizer

{where}, one thread. Numbers and dates in English and French:
{sentences:,} sentences, {symbols:,} symbols, {spelled:.0%} of them letters, bytes and
spaces. *naive* is the same rule in plain Python (`benchmarks/naive_tokenizer.py`);
seconds are the processor's.

| | code | sentences a second | ratio of the time |
| --- | --- | --- | --- |
"""
INPUT_PIPELINE = """# Input pipeline

{where}. Training as of `configs/demo.flags`: of
{seconds:.0f} s of {steps} steps ({step_seconds:.3f} s each, the median)
{share_waited:.2%} was waiting for a batch, at most {longest_wait:.3f} s at once; less
than 2% is wanted. The pipeline alone makes {batches_per_second:,.0f} batches,
{pairs_per_second:,.0f} pairs or {symbols_per_second:,.0f} target symbols a second.
"""
SERVE = """# Serving

{where}. The export of a trained run ({about}) in a session; {sentences}
sentences of its validation data, alone and in batches of {batch}. *First answer*: since
the start of Python, to a warm-up request; *warmed up*: the next request's.

| threads | one, median | 95% within | in batches | first answer | warmed up | memory |
| --- | --- | --- | --- | --- | --- | --- |
"""


def where() -> str:
    """When, on what and with what it was measured."""
    packages = f"TensorFlow {version('tensorflow')}, Keras {version('keras')}"
    return (
        f"Written by `make bench` on {datetime.date.today()}: "
        f"{usable_cores()} cores ({platform.machine()}), Python "
        f"{platform.python_version()},\n{packages}"
    )


def of_process(module: str, *arguments: str) -> dict[str, Any]:
    """The JSON object that a benchmark, in a process of its own, prints."""
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
    result = measure(options, peers)
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
    peers = ["naive"] + ["torch"] * bool(importlib.util.find_spec("torch"))
    text = TRAIN_STEP.format(where=where())
    for setting in SETTINGS:
        for line in rows(*setting, peers):
            print(line, flush=True)
            text += line + "\n"
    return text


def diagonal_step() -> str:
    """The package's step on the diagonal Neural GPU's own setting."""
    text = DIAGONAL.format(where=where(), **OPTIONS | AUTHORS)
    for maps in (48, 96):
        result = measure(OPTIONS | AUTHORS | {"maps": maps}, [])
        share = result["share_of_ceiling"]
        text += f"| {maps} | {cells(result['package'])} | {share:.0%} |\n"
    return text


def recurrent_step() -> str:
    """The recurrent models against PyTorch, where it is."""
    python, rounds = flags.FLAGS.torch_python or sys.executable, 8
    asked = [python, "-c", "import torch; print(torch.__version__)"]
    told = subprocess.run(asked, capture_output=True, text=True)
    peers = ["torch"] * (told.returncode == 0)
    torch = told.stdout.strip() or "not installed"
    text = RECURRENT.format(where=where(), torch=torch, rounds=rounds)
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
    text = TOKENIZE.format(where=where(), **result)
    for what in ("tokenize", "detokenize"):
        for name, row in result[what].items():
            speed, ratio = row["sentences_per_second"], row.get("ratio", 1)
            text += f"| {what} | {name} | {speed:,.0f} | {ratio:.2f} |\n"
    return text


def input_pipeline() -> str:
    """Of the demo, which has small batches of short sentences."""
    result = of_process("input_pipeline", f"--flagfile={DEMO}")
    return INPUT_PIPELINE.format(where=where(), **result, **result.pop("alone"))


def serve() -> str:
    """The run of `make demo`, or another one."""
    run_dir = flags.FLAGS.run_dir
    model = json.loads(Path(run_dir, "config.json").read_text("utf-8"))["model"]
    about = ", ".join(f"{k} {model[k]}" for k in ("model", "maps", "width", "layers"))
    result = of_process("serve", f"--run_dir={run_dir}")
    text = SERVE.format(where=where(), about=about, **result)
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


SECTIONS = {
    "train_step": train_step,
    "diagonal_step": diagonal_step,
    "recurrent_step": recurrent_step,
    "tokenize": tokenize,
    "input_pipeline": input_pipeline,
    "serve": serve,
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
    values = flags.FLAGS
    names = values.only or list(SECTIONS)
    if "serve" in names and not Path(values.run_dir, "config.json").exists():
        print(f"--run_dir={values.run_dir}: no run, so no serving; run `make demo`")
        names.remove("serve")
    for name in names:
        section = SECTIONS[name]()
        print(section, flush=True)
        RESULTS.write_text(with_section(RESULTS.read_text("utf-8"), section), "utf-8")


if __name__ == "__main__":
    flags.DEFINE_multi_enum("only", [], list(SECTIONS), "what to measure; empty: all")
    flags.DEFINE_string("torch_python", "", "Python that has PyTorch; else this one")
    flags.DEFINE_string("run_dir", "runs/demo", "a trained run, to serve")
    app.run(main)
