import base64
import collections
import csv
import html.parser
import io
import re
import shutil

import numpy as np
import pytest
import reported
from PIL import Image
from reported import REFERENCES, SOURCES
from small_files import small_files

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.evaluation.bleu_by_source_length import bleu_by_source_length
from neural_gpu_tf.evaluation.paired_bootstrap import paired_bootstrap
from neural_gpu_tf.evaluation.report import _sentence_ends, write_report
from neural_gpu_tf.evaluation.report_tables import Table

NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e[+-]?\d+)?")


class Page(html.parser.HTMLParser):
    """What a reader meets: texts, alternative texts, links, and tables by cell."""

    def __init__(self, text):
        super().__init__()
        self.texts, self.links, self.loaded, self.tags = [], [], [], []
        self.tables = []  # (file, columns, rows)
        self._hidden = self._cell = False
        self.feed(text)

    def handle_starttag(self, tag, pairs):
        attributes = dict(pairs)
        self.tags.append(tag)
        self.texts += [attributes[x] for x in ("alt", "aria-label") if x in attributes]
        self.loaded += [attributes[x] for x in ("src", "srcset") if x in attributes]
        if "href" in attributes:
            (self.links if tag == "a" else self.loaded).append(attributes["href"])
        self._hidden |= tag == "style"
        if tag == "table":
            self.tables.append((attributes["data-file"], [], []))
        elif tag == "tr":
            self.tables[-1][2].append([])
        elif "data-column" in attributes:
            self.tables[-1][1].append(attributes["data-column"])
        elif tag in ("td", "th"):
            self.tables[-1][2][-1].append("")
            self._cell = True

    def handle_endtag(self, tag):
        self._hidden &= tag != "style"
        self._cell &= tag not in ("td", "th")

    def handle_data(self, text):
        if not self._hidden:
            self.texts.append(text)
        if self._cell:
            self.tables[-1][2][-1][-1] += text


def write(directory, models=None, **options):
    files = "test.en", "test.fr"
    models = models or reported.models()
    return write_report(directory, models, SOURCES, REFERENCES, files, **options)


def rows_of(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The directory of a report, and its page."""
    directory = tmp_path_factory.mktemp("report")
    index = write(directory)
    assert index == directory / "index.html"
    return directory, Page(index.read_text("utf-8"))


def test_every_number_of_the_page_stands_in_a_csv_file(written):
    directory, page = written
    known = {
        number
        for path in directory.glob("*.csv")
        for number in NUMBER.findall(path.read_text("utf-8"))
    }
    numbers = NUMBER.findall(" ".join(page.texts))
    assert len(numbers) > 100
    assert [number for number in numbers if number not in known] == []


def test_every_row_of_the_page_is_a_row_of_its_file(written):
    directory, page = written
    assert {file for file, *_ in page.tables} == {
        "models.csv",
        "decoding.csv",
        "bootstrap.csv",
        "bleu_by_source_length.csv",
        "sentences.csv",
    }
    for file, columns, rows in page.tables:
        head, *records = rows_of(directory / file)
        places = [head.index(column) for column in columns]
        known = [[record[i] or "–" for i in places] for record in records]
        shown = [row for row in rows if row]  # but for the headings
        assert shown and [row for row in shown if row not in known] == []


def test_what_the_files_say(written):
    directory, _ = written
    models = reported.models()
    names = [each.name for each in models]
    head, *rows = rows_of(directory / "models.csv")
    first = dict(zip(head, rows[0], strict=True))
    assert [row[0] for row in rows] == names
    assert first["parameters"] == "298176" and first["perplexity_symbol"] == "1.5"
    assert first["log_perplexity"] == "0.4055"
    assert first["bleu"] == f"{models[0].scores['bleu']:.2f}"
    assert first["bleu_signature"].startswith("nrefs:1|case:mixed")
    decoding = dict((row[0], row[1:]) for row in rows_of(directory / "decoding.csv"))
    assert decoding["option"] == names and decoding["--beam"] == ["2", "4", "7"]
    head, *rows = rows_of(directory / "bleu_by_source_length.csv")
    assert head == ["source_words", "sentences", *names]
    assert sum(int(row[1]) for row in rows) == len(SOURCES)
    for column, each in enumerate(models, 2):
        found = bleu_by_source_length(SOURCES, each.translations, REFERENCES)
        assert [row[column] for row in rows] == [f"{x.bleu:.2f}" for x in found]
        assert [row[0] for row in rows] == [x.words for x in found]
    head, *rows = rows_of(directory / "bootstrap.csv")
    assert [row[0] for row in rows] == names and rows[0][-1] == ""
    results, signature = paired_bootstrap([x.translations for x in models], REFERENCES)
    for row, (bleu, mean, interval, p) in zip(rows[1:], results[1:], strict=True):
        expected = [f"{bleu:.2f}", f"{mean:.2f}", f"{interval:.2f}", f"{p:.4f}"]
        assert row[1:] == expected
    assert ["bootstrap_signature", signature] in rows_of(directory / "settings.csv")
    head, *rows = rows_of(directory / "curves.csv")
    assert rows[0] == ["first", "train", "loss", "50", "3"] and len(rows) == 10


def test_every_sentence_of_every_model_worst_first(written):
    directory, page = written
    head, *rows = rows_of(directory / "sentences.csv")
    assert len(rows) == 3 * len(SOURCES)
    for each in reported.models():
        own = [row for row in rows if row[0] == each.name]
        found = {int(row[1]): row[2:5] for row in own}
        texts = zip(SOURCES, REFERENCES, each.translations, strict=True)
        assert found == {i: list(text) for i, text in enumerate(texts, 1)}
        marks = [float(row[5]) for row in own]
        assert marks == sorted(marks)
        assert marks[-1] == 100 and own[0][4] == reported.HARD
    shown = [table for table in page.tables if table[0] == "sentences.csv"]
    assert len(shown) == 6  # worst and best of each
    (_, columns, worst), (_, _, best) = shown[:2]
    line, mark = columns.index("line"), columns.index("chrf")
    own = [row for row in rows if row[0] == "first"]
    assert [row[line] for row in worst if row] == [row[1] for row in own[:5]]
    assert [row[line] for row in best if row] == [row[1] for row in own[:-6:-1]]
    assert {row[mark] for row in best if row} == {"100.00"}


def test_the_page_needs_no_other_file(written):
    directory, page = written
    assert page.loaded and all(x.startswith("data:") for x in page.loaded)
    assert "script" not in page.tags
    text = (directory / "index.html").read_text("utf-8")
    assert "url(" not in text and "@import" not in text
    assert '<meta name="viewport" content="width=device-width' in text
    beside = {path.name for path in directory.iterdir()} - {"index.html"}
    assert set(page.links) == beside


def test_pictures_are_those_beside_the_page(written):
    directory, page = written
    pictures = [base64.b64decode(x[22:]) for x in page.loaded if "image/png" in x]
    dark, light = pictures[::2], pictures[1::2]
    files = ["bleu_by_source_length.png", "loss.png", "bleu.png"]
    assert [(directory / name).read_bytes() for name in files] == light
    for one, other in zip(light, dark, strict=True):
        one, other = (np.array(Image.open(io.BytesIO(x))) for x in (one, other))
        assert one.mean() > 200 and other.mean() < 60
    alternatives = [text for text in page.texts if text.startswith("Line chart of")]
    assert len(alternatives) == 3 and "first, second_run." in alternatives[1]


def test_the_same_files_again(written, tmp_path):
    directory, _ = written
    write(tmp_path)
    files = sorted(path.name for path in directory.iterdir())
    assert files == sorted(path.name for path in tmp_path.iterdir())
    for name in files:
        assert (directory / name).read_bytes() == (tmp_path / name).read_bytes(), name


def test_one_model_without_curves_or_perplexity(written, tmp_path):
    shutil.copytree(written[0], tmp_path, dirs_exist_ok=True)  # an earlier report
    assert (tmp_path / "bootstrap.csv").exists()
    alone = reported.model("alone", 3, perplexity_symbol=None)
    page = Page(write(tmp_path, [alone], bucket_words=5).read_text("utf-8"))
    models, _, lengths, *sentences = page.tables
    assert models[2][1][3:5] == ["–", "–"]
    assert not (tmp_path / "bootstrap.csv").exists()
    assert not any("chance" in text for text in page.texts)
    assert lengths[2][1][0] == "0-4"
    assert any("No run has TensorBoard's event files" in text for text in page.texts)
    assert collections.Counter(file for file, *_ in sentences) == {"sentences.csv": 2}


def test_faults_are_the_users(tmp_path):
    alone = [reported.model("alone", 3)]
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="out=.*file/out: can't make it"):
        write(tmp_path / "file" / "out", alone)
    (tmp_path / "out" / "models.csv").mkdir(parents=True)
    with pytest.raises(InputError, match="models.csv: can't be written"):
        write(tmp_path / "out", alone)


def test_a_full_disk_leaves_the_page_before(tmp_path):
    alone = [reported.model("alone", 3)]
    index = write(tmp_path, alone)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with small_files(), pytest.raises(InputError, match="can't be written"):
        write(tmp_path, [reported.model("another", 3)])
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert index.name in before


def test_no_cell_of_a_csv_file_is_a_formula():
    cells = ["=1+1", "@x", "+a", "-b|c", "\t=1", "--x=1", "--beam", "-1.5", "1", "a=b"]
    text = Table("x.csv", ("one",), [[cell] for cell in cells]).csv()
    found = [row[0] for row in csv.reader(io.StringIO(text))][1:]
    expected = [f"'{cell}" for cell in cells[:6]] + cells[6:]
    assert found == expected


def test_of_few_sentences_none_is_among_the_worst_and_the_best():
    table = Table("", (), [("m", str(i)) for i in range(7)])
    (_, worst), (_, best) = _sentence_ends(table, ["m"])
    assert [row[1] for row in worst] == ["0", "1", "2", "3", "4"]
    assert [row[1] for row in best] == ["6", "5"]
