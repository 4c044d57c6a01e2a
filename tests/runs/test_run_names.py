import pytest

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.runs import run_names


def test_a_run_is_called_by_its_directory(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert run_names(["a", "b/c/", tmp_path / "d", "."]) == [
        "a",
        "c",
        "d",
        tmp_path.name,
    ]


def test_by_its_path_where_the_name_is_not_enough(tmp_path):
    one, two = tmp_path / "one" / "run", tmp_path / "two" / "run"
    assert run_names([one, "other", two]) == [str(one), "other", str(two)]


def test_no_run_stands_twice(tmp_path):
    with pytest.raises(InputError, match="run: given 2 times; name each run once"):
        run_names([tmp_path / "run", tmp_path / "x", f"{tmp_path}/x/../run/"])
