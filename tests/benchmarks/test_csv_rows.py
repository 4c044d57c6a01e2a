import multiprocessing
from typing import NamedTuple

import pytest

from benchmarks.csv_rows import append, read
from neural_gpu_tf.errors import InputError


class Pair(NamedTuple):
    name: str
    number: int


@pytest.mark.parametrize(
    "text, told",
    [
        ("name,other\na,1\n", "its columns are name,other, not name,number"),
        ("name,number,more\na,1,2\n", "its columns are name,number,more"),
        ("name,number\na,1\nb\n", "line 3: no row of name,number; take the line out"),
        ("name,number\na,x\n", "line 2: no row of name,number"),
    ],
)
def test_a_file_that_is_no_such_table_is_refused(tmp_path, text, told):
    path = tmp_path / "pairs.csv"
    path.write_text(text)
    for use in (lambda: read(path, Pair), lambda: append(path, [Pair("c", 3)])):
        with pytest.raises(InputError, match=f"pairs.csv.*{told}"):
            use()
    assert path.read_text() == text


def test_rows_take_the_place_of_those_with_their_key(tmp_path):
    path = tmp_path / "pairs.csv"
    append(path, [Pair("a", 1), Pair("b", 2)])
    append(path, [Pair("a", 3), Pair("c", 4)], key=1)
    assert read(path, Pair) == [Pair("b", 2), Pair("a", 3), Pair("c", 4)]
    append(path, [Pair("a", 3)])
    assert read(path, Pair).count(Pair("a", 3)) == 2


def add_ten(path, name):
    for number in range(10):
        append(path, [Pair(name, number)])


def test_two_processes_lose_none_of_their_rows(tmp_path):
    path, context = tmp_path / "pairs.csv", multiprocessing.get_context("spawn")
    both = [context.Process(target=add_ten, args=(path, name)) for name in "ab"]
    for process in both:
        process.start()
    for process in both:
        process.join()
        assert process.exitcode == 0
    assert sorted(read(path, Pair)) == [Pair(x, i) for x in "ab" for i in range(10)]
