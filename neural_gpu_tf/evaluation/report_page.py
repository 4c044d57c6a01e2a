"""HTML of a report: one file that needs no other."""

import base64
import re
from collections.abc import Sequence
from typing import Any

import jinja2
from markupsafe import Markup, escape


def page_templates() -> jinja2.Environment:
    """Pages' templates, in which texts are escaped and every name must be given."""
    return jinja2.Environment(
        loader=jinja2.PackageLoader("neural_gpu_tf.evaluation"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def report_page(**values: Any) -> str:
    """The page: templates/report.html, in which every text is escaped.

    Args:
        values: what the template names.
    """
    environment = page_templates()
    environment.globals["zip"] = zip
    environment.filters |= {
        "breakable": _breakable,
        "data_uri": _data_uri,
        "kind": _kind,
    }
    page = environment.get_template("report.html").render(values)
    return re.sub(r"\n{3,}", "\n\n", page.lstrip()) + "\n"


def _breakable(name: str) -> Markup:
    """A name that may be broken into lines, if it is long."""
    parts = re.split(r"(?<=\w[_/-])(?=\w)", name)
    return Markup("<wbr>").join(escape(part) for part in parts)


def _data_uri(png: bytes) -> str:
    return f"data:image/png;base64,{base64.b64encode(png).decode()}"


def _kind(rows: Sequence[Sequence[str]], place: int) -> Markup:
    """The class of a column: numbers, long text or neither."""
    cells = [row[place] for row in rows]
    if all(_is_number(cell) for cell in cells if cell):
        return Markup(' class="number"')
    long = max(map(len, cells), default=0) > 20
    return Markup(' class="text"' if long else "")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
