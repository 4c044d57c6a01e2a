import json

import pytest
import tiny

from neural_gpu_tf.evaluation import scores
from neural_gpu_tf.inference import translate_all

SOURCES = ["two thousand, five", "six", "two", "five six"]
TARGETS = ["two", "five", "six", "six five"]


@pytest.fixture
def files(tmp_path):
    (tmp_path / "en").write_text("".join(f"{text}\n" for text in SOURCES))
    (tmp_path / "fr").write_text("".join(f"{text}\n" for text in TARGETS))
    return [f"--source={tmp_path}/en", f"--target={tmp_path}/fr"]


def test_the_last_line_is_one_json_object(run_binary, run_dir, files):
    answer = run_binary("evaluate", f"--run_dir={run_dir}", *files, "--json")
    assert answer.status == 0
    result = json.loads(answer.out.splitlines()[-1])
    answers = translate_all(tiny.translator().translate, SOURCES)
    expected = scores([answer.text for answer in answers], TARGETS)
    assert {name: result[name] for name in expected} == expected
    assert result["examples"] == 4
    assert result["perplexity_symbol"] > 1


@pytest.mark.slow
def test_several_runs_are_one_ensemble(run_binary, run_dir, files):
    run = f"--run_dir={run_dir}"
    one, two = (
        json.loads(run_binary("evaluate", *runs, *files, "--json").out.splitlines()[-1])
        for runs in ([run], [run, run])
    )
    assert two["bleu"] == one["bleu"] and two["exact_match"] == one["exact_match"]
    assert two["perplexity_symbol"] == pytest.approx(one["perplexity_symbol"], 1e-4)
    answer = run_binary("evaluate", run, run, "--bits=5")
    assert answer.status == 2 and "the second one; this command takes one" in answer.err


def test_without_files_the_runs_own_validation_data(run_binary, run_dir):
    answer = run_binary("evaluate", f"--run_dir={run_dir}", "--sizes=2")
    assert answer.status == 0
    lines = dict(line.split(maxsplit=1) for line in answer.out.splitlines())
    assert lines["examples"] == "4"
    assert "perplexity_word" in lines


def test_faults_are_one_line_and_status_2(run_binary, run_dir, files, tmp_path):
    (tmp_path / "short").write_text("one\n")
    (tmp_path / "latin").write_bytes(b"a\nb\xe9\n")
    (tmp_path / "empty").touch()
    (tmp_path / "blank").write_text("\n \n" * 2)
    for arguments, message in (
        ([files[0]], "--source and --target: give both"),
        ([files[0], f"--target={tmp_path}/none"], "none: no such file"),
        ([files[0], f"--target={tmp_path}/short"], "line 2 of en has no partner"),
        ([files[0], f"--target={tmp_path}/latin"], "latin:2: not UTF-8"),
        ([files[0], f"--target={tmp_path}/empty"], "empty: the file is empty"),
        ([files[0], f"--target={tmp_path}/blank"], "all 4 references are blank"),
        ([*files, "--sizes=none"], "--sizes=none: not a legal value"),
        ([*files, "--bits=5"], "--source: for translations, but --bits tests a task"),
        (["--bits=5", "--beam=2"], "--beam: for translations, but --bits tests"),
        ([*files, "--hard"], "--hard: only with --bits; give --bits, or leave it out"),
        (["--bits=5"], "a translation run, not of an algorithmic task; name a run"),
        (["--bits=5", "--test_seed=-1"], "--test_seed=-1"),
        ([*files, "--beam=2", "--n_best=2"], "--n_best: the best output alone is"),
    ):
        answer = run_binary("evaluate", f"--run_dir={run_dir}", *arguments)
        assert answer.status == 2
        assert message in answer.err and answer.err.count("\n") == 1


def test_what_a_model_of_the_package_was_trained_on_is_not_in_it(run_binary):
    answer = run_binary("evaluate", "--pretrained=enfr")
    assert answer.status == 2 and answer.err.count("\n") == 1
    assert "no such file" in answer.err and "; or name others: --source" in answer.err
