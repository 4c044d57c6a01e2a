import pytest

from benchmarks.starting import COMMANDS, PARTS, Command, markdown, measure, start


def test_the_parts_are_all_of_the_time_between_start_and_end():
    name = 'neural-gpu-solve "1 + 1"'
    (row,) = measure({name: COMMANDS[name]}, 2).values()
    told = start(COMMANDS[name])
    assert sum(told[part] for part in PARTS) == pytest.approx(told["total"], abs=1e-6)
    assert min(told[part] for part in PARTS) > 0
    assert told["tensorflow"] > told["before"]
    assert 1 <= told["graphs"] < 10 and 2e8 < told["memory"] < 2e9
    assert row["quartiles"][0] <= row["median"] <= row["quartiles"][1]
    (line,) = markdown({name: row})
    assert line.count("|") == 11 and line.startswith(f"| `{name}` | ")


def test_a_command_that_imports_nothing_has_no_parts():
    told = start(COMMANDS["neural-gpu-train --help"])
    assert set(told) == {"graphs", "memory", "answer", "end", "total"}
    assert told["graphs"] == 0 and told["memory"] < 2e8


def test_a_command_that_fails_is_told():
    with pytest.raises(RuntimeError, match="neural_gpu_tf.bin.solve --no_such_flag: 2"):
        start(Command(("neural_gpu_tf.bin.solve", "--no_such_flag")))
