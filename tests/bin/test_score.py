import gzip
import json

import numpy as np
import pytest
import tiny

SOURCES = ["two six", "six", "", "five six", "two"]
TARGETS = ["two", "five", "six", "", "five two six"]


@pytest.fixture
def files(tmp_path):
    (tmp_path / "en").write_text("".join(f"{text}\n" for text in SOURCES))
    with gzip.open(tmp_path / "fr.gz", "wt") as file:
        file.write("".join(f"{text}\n" for text in TARGETS))
    return [f"--source={tmp_path}/en", f"--target={tmp_path}/fr.gz"]


def rows(answer):
    assert answer.status == 0
    table = [line.split("\t") for line in answer.out.splitlines()]
    return [(float(log_p), int(symbols), float(each)) for log_p, symbols, each in table]


def forced(source, target, size):
    """log p of one pair on its own canvas, without the code under test."""
    tokenize = tiny.tokenizer().tokenize
    source = tokenize([source]).to_list()[0]
    target = [*tokenize([target]).to_list()[0], 2]
    batch = {"source": np.zeros((1, size), int), "target": np.zeros((1, size), int)}
    batch["source"][0, : len(source)] = source
    batch["target"][0, : len(target)] = target
    logits = np.array(tiny.model()({**batch, "size": np.array([size])}), np.float64)[0]
    log_p = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
    return sum(log_p[t, symbol] for t, symbol in enumerate(target))


def lengths(text):
    return len(tiny.tokenizer().tokenize([text]).to_list()[0])


def test_a_line_a_pair_on_the_canvas_of_training(run_binary, run_dir, files):
    """And perplexity is made of them."""
    found = rows(run_binary("score", f"--run_dir={run_dir}", *files))
    for row, source, target in zip(found, SOURCES, TARGETS, strict=True):
        symbols = lengths(target) + 1
        expected = forced(source, target, max(lengths(source), symbols))
        np.testing.assert_allclose(row[0], expected, atol=1e-4)
        assert row[1] == symbols
        np.testing.assert_allclose(row[2], expected / symbols, atol=1e-4)
    total, symbols, _ = np.sum(found, axis=0)
    answer = run_binary("evaluate", f"--run_dir={run_dir}", *files, "--json")
    result = json.loads(answer.out.splitlines()[-1])
    np.testing.assert_allclose(
        result["perplexity_symbol"], np.exp(-total / symbols), rtol=1e-4
    )


def test_all_sizes_that_the_target_fits(run_binary, run_dir, files):
    found = rows(run_binary("score", f"--run_dir={run_dir}", *files, "--sizes=all"))
    likeliest = []
    for row, source, target in zip(found, SOURCES, TARGETS, strict=True):
        own = max(lengths(source), lengths(target) + 1)
        largest = max(own, 2 * lengths(source))
        by_size = [forced(source, target, n) for n in range(own, largest + 1)]
        np.testing.assert_allclose(row[0], max(by_size), atol=1e-4)
        likeliest.append(np.argmax(by_size))
    assert max(likeliest) > 0  # so the canvas of training alone would not do


def test_faults_are_one_line_and_status_2(run_binary, run_dir, files, tmp_path):
    (tmp_path / "short").write_text("one\n")
    for arguments, message in (
        ([files[0]], "--source and --target: give both"),
        ([files[0], f"--target={tmp_path}/none"], "none: no such file"),
        ([files[0], f"--target={tmp_path}/short"], "line 2 of en has no partner"),
        ([*files, "--sizes=7"], "--sizes"),
    ):
        answer = run_binary("score", f"--run_dir={run_dir}", *arguments)
        assert (answer.status, answer.out) == (2, "")
        assert message in answer.err and answer.err.count("\n") == 1
    answer = run_binary("score", *files)
    assert "name the model" in answer.err and answer.status == 2
