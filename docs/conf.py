"""Sphinx's settings: `make docs` builds docs/ into docs/_build/html."""

import re
from typing import Any

import nbformat
from docutils import nodes
from myst_parser.parsers.sphinx_ import MystParser
from sphinx.ext.autodoc.preserve_defaults import DefaultValue
from sphinx.util import inspect

import neural_gpu_tf

project = "neural_gpu_tf"
author = "the neural_gpu_tf authors"
release = version = neural_gpu_tf.__version__
extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "myst_parser",
]
exclude_patterns = ["_build"]
templates_path = ["_templates"]
html_theme = "furo"
html_title = f"neural_gpu_tf {release}"
html_static_path: list[str] = []
html_show_copyright = False
highlight_language = "none"  # of literal blocks, which are equations
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3
suppress_warnings = ["myst.header"]  # results' pages have two titles, or skip one

default_role = "py:obj"  # `name` in a docstring links where it is a public name
autosummary_generate = True
autodoc_default_options = {"members": True, "show-inheritance": True}
autodoc_inherit_docstrings = False  # Keras's are in other words
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
napoleon_numpy_docstring = False
napoleon_use_rtype = False

nitpicky = True
nitpick_ignore_regex = [
    ("py:obj", ".*"),  # `name` in a docstring may be code of any kind
    # What is not in the front door has no page.
    ("py:class", r"neural_gpu_tf\.\w+\.\w+\.\w+"),
    # There is no inventory of other packages here.
    (
        "py:(class|exc|data|attr|func|meth)",
        r"(abc|keras|tensorflow|tensorflow_text|tf|np|numpy|collections|os|pathlib|typing)\b.*",
    ),
]

PLAIN = (type, type(None), bool, int, float, str, tuple)  # `Parameter.empty` is a type
_SECTION = re.compile(r"^(Args|Attributes|Examples?|Raises|Returns|Yields|Note):$")


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _escaped(line: str) -> str:
    """Stars and bars as themselves, outside of `code`; `name`s may have an ending."""
    parts = line.split("`")
    parts[::2] = [re.sub(r"(?<!\*)([*|])(?!\*)", r"\\\1", part) for part in parts[::2]]
    parts[2::2] = [re.sub(r"^(?=\w)", r"\\ ", part) for part in parts[2::2]]
    return "`".join(parts)


def _joined(lines: list[str]) -> list[str]:
    """Puts onto one line what reStructuredText would take for a list with terms.

    That is "Input shape: …" and names of arguments that take more than one line.
    """
    joined: list[str] = []
    for line in lines:
        last = joined[-1] if joined else ""
        deeper = line.strip() and last.strip() and _indent(line) > _indent(last)
        names = last.startswith("    ") and last.endswith(",") and ":" not in last
        if deeper and (names or not _SECTION.match(last) and not _indent(last)):
            joined[-1] = f"{last} {line.strip()}"
        else:
            if re.match(r"(Inputs?|Outputs?)\b.*:", line) and last.strip():
                joined.append("")  # a paragraph of its own
            joined.append(line)
    return joined


def _literals(lines: list[str]) -> list[str]:
    """Makes indented blocks that follow an empty line literal ones."""
    shown: list[str] = []
    literal: int | None = None  # the least indent of the block that is being copied
    last = ""  # the last line that is not empty
    empty = False
    for line in lines:
        if line.strip() and literal is not None and _indent(line) < literal:
            literal = None
        deeper = line.strip() and empty and _indent(line) > _indent(last)
        if literal is None and deeper and not _SECTION.match(last.strip()):
            literal = _indent(line)
            shown += [" " * _indent(last) + "::", ""]
        verbatim = literal is not None or line.lstrip().startswith(">>>")
        shown.append(line if verbatim else _escaped(line))
        last, empty = line if line.strip() else last, not line.strip()
    return shown


def as_restructured_text(
    app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]
) -> None:
    """Docstrings as Sphinx reads them; equations stay as they stand.

    Docstrings set an equation apart by an empty line and an indent, which in
    reStructuredText would be a quotation, its lines run together.
    """
    text = re.sub(
        r"(?m)^Args, inputs and output: (as .*), and\n\n(?=    )",
        r"Inputs and output: \1; more\n\nArgs:\n",
        "\n".join(lines),
    )
    lines[:] = _literals(_joined(text.split("\n")))


def own_signature(
    app: Any, what: str, name: str, obj: Any, options: Any, given: str, returns: str
) -> tuple[str, str] | None:
    """The arguments of a class's `__init__`, which Keras's `__new__` would hide."""
    if what != "class" or obj.__init__ is object.__init__:
        return None
    signature = inspect.signature(obj.__init__, bound_method=True)
    parameters = [
        parameter
        if isinstance(parameter.default, PLAIN)
        else parameter.replace(default=DefaultValue(type(parameter.default).__name__))
        for parameter in signature.parameters.values()
    ]
    signature = signature.replace(parameters=parameters)
    return inspect.stringify_signature(signature, unqualified_typehints=True), returns


def links_of_the_repository(app: Any, name: str, source: list[str]) -> None:
    """Links to RESULTS.md and the like, which have pages here, lead to these pages."""
    up = "../" * (name.count("/") + 1)
    for page in ("RESULTS", "CONTRIBUTING", "CHANGELOG"):
        source[0] = source[0].replace(f"]({up}{page}.md", f"]({up[3:]}{page}.md")
    source[0] = source[0].replace(f"]({up}benchmarks/RESULTS", f"]({up[3:]}benchmarks")


class NotebookParser(MystParser):
    """Shows a notebook's text and code as a Markdown page."""

    supported = ("ipynb",)

    def parse(self, inputstring: str, document: nodes.document) -> None:
        cells = nbformat.reads(inputstring, as_version=4).cells
        pages = [
            cell.source
            if cell.cell_type == "markdown"
            else f"```python\n{cell.source}\n```"
            for cell in cells
        ]
        super().parse("\n\n".join(pages) + "\n", document)


def setup(app: Any) -> None:
    app.connect("autodoc-process-docstring", as_restructured_text, priority=400)
    app.connect("autodoc-process-signature", own_signature)
    app.connect("source-read", links_of_the_repository)
    app.add_source_suffix(".ipynb", "ipynb")
    app.add_source_parser(NotebookParser)
