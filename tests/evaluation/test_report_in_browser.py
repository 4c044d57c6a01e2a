import html

import numpy as np
import pytest
import reported
from browser import NEEDS_CHROMIUM, chromium, written
from PIL import Image

from neural_gpu_tf.evaluation.report import write_report

WIDTHS = 390, 1366  # of a phone and of a laptop
FRAMES = """<body>{frames}<script>
addEventListener("load", () => {{
  const found = [...document.querySelectorAll("iframe")].map(frame => {{
    const page = frame.contentDocument, root = page.documentElement;
    const boxes = [...page.querySelectorAll(".scroll")];
    const pictures = [...page.querySelectorAll("img")];
    return {{width: root.clientWidth, content: root.scrollWidth,
      scrolling: boxes.filter(box => box.scrollWidth > box.clientWidth).length,
      pictures: pictures.map(picture => [picture.naturalWidth, picture.width])}};
  }});
  document.body.innerHTML = "<pre>" + JSON.stringify(found) + "</pre>";
}});
</script>"""

pytestmark = NEEDS_CHROMIUM


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    """A report with much in it that could be too wide."""
    long = reported.model("a_run/" * 12 + "x" * 60, 2)
    texts = ["word" * 90, *long.translations[1:]]
    models = [*reported.models(), long._replace(translations=texts)]
    sources, references = reported.SOURCES, reported.REFERENCES
    directory = tmp_path_factory.mktemp("report")
    files = "/a/very/long/path" * 9, "test.fr"
    return write_report(directory, models, sources, references, files)


def test_nothing_but_tables_is_wider_than_the_screen(index, tmp_path):
    page = html.escape(index.read_text("utf-8"))
    frames = "".join(
        f'<iframe srcdoc="{page}" width="{width}" height="700" style="border:0">'
        "</iframe>"
        for width in WIDTHS
    )
    (tmp_path / "frames.html").write_text(FRAMES.format(frames=frames), "utf-8")
    found = written(f"file://{tmp_path}/frames.html")
    for width, frame in zip(WIDTHS, found, strict=True):
        assert width - 20 <= frame["width"] <= width  # a scroll bar may stand beside
        assert frame["content"] <= frame["width"]
        assert len(frame["pictures"]) == 3
        for pixels, shown in frame["pictures"]:
            assert pixels == 960 and 300 < shown < frame["width"]
    assert found[0]["scrolling"] > 3


@pytest.mark.parametrize("width, scheme, dark", [(390, 1, False), (1366, 0, True)])
def test_it_is_drawn_in_both_schemes(index, tmp_path, width, scheme, dark):
    chromium(
        f"--window-size={width},1600",
        f"--blink-settings=preferredColorScheme={scheme}",
        f"--screenshot={tmp_path}/page.png",
        f"file://{index}",
    )
    picture = np.array(Image.open(tmp_path / "page.png").convert("L"))
    assert picture.shape == (1600, width)
    paper = np.median(picture)
    assert paper < 50 if dark else paper > 240
    ink = abs(picture - paper) > 120
    for part in np.array_split(ink, 4):  # something stands everywhere
        assert 0.005 < part.mean() < 0.3
