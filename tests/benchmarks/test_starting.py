import pytest

from benchmarks.starting import COMMANDS, PARTS, Command, markdown, measure, start
from benchmarks.turns import spread


def test_the_parts_are_all_of_the_time_between_start_and_end():
    name = 'neural-gpu-solve "1 + 1"'
    told = start(COMMANDS[name])
    assert sum(told[part] for part in PARTS) == pytest.approx(told["total"], abs=1e-6)
    assert min(told[part] for part in PARTS) > 0
    assert told["tensorflow"] > told["before"]
    assert 1 <= told["graphs"] < 10 and 2e8 < told["memory"] < 2e9
    (line,) = markdown({name: told | spread([told["total"]])})
    assert line.count("|") == 11 and line.startswith(f"| `{name}` | ")
    assert not any(cell.isspace() for cell in line[1:-1].split("|"))


def test_a_command_that_imports_nothing_has_no_parts():
    name = "neural-gpu-train --help"
    (row,) = measure({name: COMMANDS[name]}, 2).values()
    told = {"graphs", "memory", "answer", "end", "total"}
    assert set(row) == told | {"median", "quartiles"}
    assert row["graphs"] == 0 and row["memory"] < 2e8
    assert row["quartiles"][0] <= row["median"] <= row["quartiles"][1]
    (line,) = markdown({name: row})
    assert line.count("|") == 11 and line.startswith(f"| `{name}` | ")


def test_a_command_that_fails_is_told():
    with pytest.raises(RuntimeError, match="neural_gpu_tf.bin.solve --no_such_flag: 2"):
        start(Command(("neural_gpu_tf.bin.solve", "--no_such_flag")))
