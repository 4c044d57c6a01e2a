"""The notebook runs from top to bottom, and is kept without what it has printed."""

import os
from pathlib import Path

import nbclient
import nbformat
import pytest

NOTEBOOK = Path(__file__).parents[1] / "docs" / "tour.ipynb"


@pytest.fixture(scope="module")
def code():
    """The cells of code, run."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    kernel = {"env": os.environ | {"PYTHONPATH": str(NOTEBOOK.parents[1])}}
    nbclient.NotebookClient(notebook, timeout=120).execute(**kernel)
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


@pytest.mark.slow
def test_it_says_what_it_promises(code):
    said = [cell.outputs[-1].data for cell in code if cell.outputs]
    assert len(said) == len(code), "a cell that shows nothing"
    texts = [data["text/plain"] for data in said]
    assert texts[:2] == ["'10001'", "True"]
    assert len(said[2]["image/png"]) > 5_000
    assert "9, 4, 24" in texts[3] and texts[4].endswith("0.0)")
    accuracies = [float(x) for x in texts[5].strip("[]").split(",")]
    assert accuracies[-1] > 0.95 > accuracies[0]
    assert "[[1, 4, 1, 3]]" in texts[6]


def test_it_is_kept_without_outputs():
    cells = nbformat.read(NOTEBOOK, as_version=4).cells
    assert not any(cell.get("outputs") for cell in cells)
