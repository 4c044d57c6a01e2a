"""HTML of a report: one file that needs no other."""

import base64
import re
from collections.abc import Mapping, Sequence
from html import escape

from neural_gpu_tf.evaluation.report_charts import Chart
from neural_gpu_tf.evaluation.report_tables import Table

_STYLE = """
:root { color-scheme: light dark; --paper: #fff; --ink: #1d1f23; --soft: #5a6069;
  --rule: #d8dbe0; --head: #f2f4f7; --link: #0a5aa8;
  --shadow: #1d1f2366; }
@media (prefers-color-scheme: dark) { :root { --paper: #1b1d21; --ink: #e2e4e8;
  --soft: #a2a8b2; --rule: #3c4048; --head: #25282e; --link: #7cb8f4;
  --shadow: #000c; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 76rem; background: var(--paper);
  color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: .5rem 0; }
h2 { font-size: 1.25rem; margin: 2.2rem 0 .4rem; }
h3 { font-size: 1rem; margin: 1.4rem 0 .3rem; }
p { margin: .4rem 0; max-width: 44rem; color: var(--soft); }
a { color: var(--link); }
.scroll { width: fit-content; max-width: 100%; overflow-x: auto; margin: .6rem 0;
  border: 1px solid var(--rule); border-radius: .4rem;
  /* A shadow at an edge beyond which there is more to scroll to. */
  background: linear-gradient(to right, var(--paper) 2rem, transparent) left / 4rem
    100% no-repeat local, linear-gradient(to left, var(--paper) 2rem, transparent)
    right / 4rem 100% no-repeat local, linear-gradient(to right, var(--shadow),
    transparent) left / 1rem 100% no-repeat scroll, linear-gradient(to left,
    var(--shadow), transparent) right / 1rem 100% no-repeat scroll, var(--paper); }
table { border-collapse: collapse; font-size: .9rem;
  font-variant-numeric: tabular-nums; overflow-wrap: normal; }
th, td { padding: .35rem .7rem; text-align: left; vertical-align: top; }
thead th { vertical-align: bottom; border-bottom: 2px solid var(--rule); }
tbody tr + tr > * { border-top: 1px solid var(--rule); }
tbody th { position: sticky; left: 0; background: var(--paper); font-weight: 600; }
.number { text-align: right; white-space: nowrap; }
.text { min-width: 11rem; overflow-wrap: anywhere; }
.charts { display: grid; gap: 1rem;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); }
figure { margin: .6rem 0; max-width: 36rem; }
img { display: block; width: 100%; height: auto; border: 1px solid var(--rule);
  border-radius: .4rem; }
figcaption { font-size: .9rem; color: var(--soft); }
"""


def page(title: str, *parts: str) -> str:
    """The whole page."""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<link rel="icon" href="data:,">
<style>{_STYLE}</style>
</head>
<body>
<main>
<h1>{escape(title)}</h1>
{"".join(parts)}</main>
</body>
</html>
"""


def section(title: str, *parts: str, level: int = 2) -> str:
    """A heading and what stands below it."""
    head = f"<h{level}>{escape(title)}</h{level}>"
    return f"<section>\n{head}\n{''.join(parts)}</section>\n"


def paragraph(text: str, *files: str) -> str:
    """A text, and links to files beside the page."""
    links = ", ".join(f'<a href="{escape(file)}">{escape(file)}</a>' for file in files)
    return f"<p>{escape(text)}{' ' if links else ''}{links}</p>\n"


def table(content: Table, columns: Mapping[str, str], title: str) -> str:
    """Some columns of a table, in a box of its own that scrolls.

    Args:
        content: cells that are numbers stand to the right; an empty one is a dash.
        columns: which columns, and their headings.
        title: what the table is, for a screen reader.
    """
    indices = [content.columns.index(name) for name in columns]
    kinds = [_kind([row[index] for row in content.rows]) for index in indices]
    head = "".join(
        f'<th scope="col" data-column="{escape(name)}"{kind}>{_breakable(heading)}</th>'
        for kind, (name, heading) in zip(kinds, columns.items(), strict=True)
    )
    body = ""
    for row in content.rows:
        cells = ""
        for place, (index, kind) in enumerate(zip(indices, kinds, strict=True)):
            tag, scope = ("td", "") if place else ("th", ' scope="row"')
            text = (escape if place else _breakable)(row[index]) or "–"
            cells += f'<{tag}{scope}{kind} dir="auto">{text}</{tag}>'
        body += f"<tr>{cells}</tr>\n"
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(title)}">'
        f'<table data-file="{escape(content.file)}">\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table></div>\n"
    )


def figures(*charts: Chart) -> str:
    """Figures side by side, where there is room, each in two schemes."""
    parts = [
        "<figure><picture>\n"
        '<source media="(prefers-color-scheme: dark)" '
        f'srcset="{_data_uri(chart.png(dark=True))}">\n'
        f'<img src="{_data_uri(chart.png())}" alt="{escape(chart.alt)}">\n'
        f'</picture>\n<figcaption><a href="{chart.file}">{chart.file}</a>'
        "</figcaption></figure>\n"
        for chart in charts
    ]
    return f'<div class="charts">\n{"".join(parts)}</div>\n'


def _breakable(name: str) -> str:
    """HTML of a name that may go on in the next line, if it is long."""
    return re.sub(r"(?<=\w[_/-])(?=\w)", "<wbr>", escape(name))


def _data_uri(png: bytes) -> str:
    return f"data:image/png;base64,{base64.b64encode(png).decode()}"


def _kind(cells: Sequence[str]) -> str:
    """The class of a column: numbers, long text or neither."""
    if all(_is_number(cell) for cell in cells if cell):
        return ' class="number"'
    return ' class="text"' if max(map(len, cells), default=0) > 20 else ""


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
