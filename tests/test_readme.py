"""README and docs/: what they show runs, and their links lead somewhere."""

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from backend_process import NO_TORCH

import neural_gpu_tf as ng

ROOT = Path(__file__).parents[1]
GUIDES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *(path for path in sorted((ROOT / "docs").rglob("*.md"))),
]
PAGES = [path for path in PAGES if not {"_build", "generated"} & set(path.parts)]
FENCE = re.compile(r"(?:<!-- ([^\n]*?) -->\n)?```(sh|python)\n(.*?)```", re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")


class Block(NamedTuple):
    """A block of a page, and the comment in the line before it."""

    page: Path
    mark: str
    language: str
    text: str


BLOCKS = [
    Block(page, *groups)
    for page in GUIDES
    for groups in FENCE.findall(page.read_text("utf-8"))
]
NAMES = [f"{block.page.stem}-{i}" for i, block in enumerate(BLOCKS)]


def parameters():
    """The blocks that run here, the long ones marked `slow`."""
    for block, name in zip(BLOCKS, NAMES, strict=True):
        if block.mark.startswith(("not run: ", "file: ")):
            continue
        yield pytest.param(
            block,
            id=name,
            marks=[
                *([pytest.mark.slow] if "slow" in block.mark else []),
                *([NO_TORCH] if "import torch" in block.text else []),
            ],
        )


def run(command, folder):
    """What a command prints, run in a folder with the commands on the path."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = os.environ | {
        "PATH": path,
        "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)]),
    }
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def run_here(text):
    """What a block of Python prints; TensorFlow is imported once for all of them."""
    with contextlib.redirect_stdout(io.StringIO()) as said:
        exec(text, {"__name__": "__main__"})
    return said.getvalue()


@pytest.mark.parametrize("block", parameters())
def test_a_block_runs_as_printed(block, tmp_path):
    files = [x for x in BLOCKS if x.page == block.page and x.mark.startswith("file: ")]
    for folder in ("configs", "examples", "benchmarks"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    for other in files:
        (tmp_path / other.mark.removeprefix("file: ")).write_text(other.text)
    if block.language == "sh":
        text = block.text.replace("PYTHONPATH=. ", "PYTHONPATH=.:$PYTHONPATH ")
        said = run(["bash", "-euc", text], tmp_path)
        promised = re.findall(r"^neural-gpu-solve .* # (\d+)", block.text, re.MULTILINE)
        assert not promised or said.split() == promised
    else:
        alone = files or "slow" in block.mark  # it may change what others meet
        command = [sys.executable, "-c", block.text]
        said = run(command, tmp_path) if alone else run_here(block.text)
        promised = re.findall(r"print\(.*\)  # ([^;:\n]+)", block.text)
        assert promised and said.split("\n")[:-1] == promised


def test_every_block_of_commands_says_whether_it_runs():
    marks = {block.mark for block in BLOCKS if block.language == "sh"}
    legal = re.compile(r"run(: slow)?|not run: .{10,}")
    assert [mark for mark in marks if not legal.fullmatch(mark)] == []


def slugs(page):
    """The anchors of a page's headings, as GitHub and MyST make them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    broken = []
    for link in LINK.findall(text):
        name, _, anchor = link.partition("#")
        if re.match(r"[a-z]+:", name):
            continue
        target = (page.parent / name).resolve() if name else page
        if not target.exists() or anchor and anchor not in slugs(target):
            broken.append(link)
    assert broken == []


def test_every_public_name_is_in_the_reference():
    api = "\n".join(p.read_text("utf-8") for p in (ROOT / "docs/api").glob("*.md"))
    names = [name for name in ng.__all__ if name != "__version__"]
    assert [name for name in names if not re.search(rf"\b{name}\b", api)] == []


def test_every_page_of_results_and_notes_is_in_the_results():
    listed = (ROOT / "RESULTS.md").read_text("utf-8")
    pages = (*ROOT.glob("docs/results/*.md"), *ROOT.glob("docs/notes/*.md"))
    paths = [page.relative_to(ROOT).as_posix() for page in pages]
    assert paths and [path for path in paths if f"({path})" not in listed] == []


def test_the_citation_is_of_this_version():
    lines = (ROOT / "CITATION.cff").read_text("utf-8").splitlines()
    assert f"version: {ng.__version__}" in lines


def test_every_command_is_in_the_table():
    setup = (ROOT / "setup.py").read_text("utf-8")
    table = (ROOT / "docs/commands_and_models.md").read_text("utf-8")
    scripts = re.findall(r'"(neural-gpu-[\w-]+) = ', setup)
    assert len(scripts) > 15
    assert set(scripts) == set(re.findall(r"^\| `(neural-gpu-\S+)` \|", table, re.M))


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_a_benchmark_is_named_with_the_flags_that_it_needs(page):
    text, missing = page.read_text("utf-8"), []
    for command, name in re.findall(r"`(python -m benchmarks\.(\w+)[^`]*)`", text):
        source = (ROOT / "benchmarks" / f"{name}.py").read_text("utf-8")
        needed = re.findall(r"mark_flags?_as_required\((.*?)\)", source)
        flags = re.findall(r'"(\w+)"', " ".join(needed))
        missing += [(command, flag) for flag in flags if f"--{flag}=" not in command]
    assert missing == []


def test_the_picture_is_small():
    images = list((ROOT / "docs" / "images").iterdir())
    assert images and all(image.stat().st_size < 100_000 for image in images)


def test_every_dependency_has_its_licence_told():
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    table = [row.split("|")[1] for row in text.splitlines() if row.startswith("| ")]
    told = {name for row in table for name in row.replace(",", " ").split()}
    setup = (ROOT / "setup.py").read_text("utf-8")
    needed = re.search(r"install_requires=\[(.*?)\n    \]", setup, re.DOTALL)[1]
    names = set(re.findall(r'"([\w-]+)', needed))
    assert len(names) > 10 and names <= told, names - told
