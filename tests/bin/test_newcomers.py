"""What a newcomer types first."""

import json
import subprocess
import sys

import pytest

from neural_gpu_tf import __version__
from neural_gpu_tf.data import TextFiles
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.runs import RunDirectory
from neural_gpu_tf.tasks import TASKS

TINY = (
    "--model=rnn_seq2seq",
    "--units=4",
    "--embedding_size=4",
    "--train_steps=1",
    "--validation_sentences=0",
    "--smallest_bucket=8",
    "--max_batch_size=2",
    "--replicas=1",
)


def train(*flags):
    """In a process of its own: training makes all of TensorFlow deterministic."""
    command = [sys.executable, "-m", "neural_gpu_tf.bin.train", *map(str, flags)]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.fixture
def texts(tmp_path):
    names = {}
    for split in ("train", "validation"):
        for side in ("source", "target"):
            path = tmp_path / f"{split}.{side}"
            path.write_text("\ufeffone two\nthree\nfour\nfive\n", "utf-8")
            names[f"{split}_{side}"] = path
    return [f"--{name}={path}" for name, path in names.items()]


@pytest.mark.slow
def test_files_that_are_named_are_the_data_and_a_run_resumes_alone(
    run_binary, texts, tmp_path
):
    run = tmp_path / "run"
    done = train(*texts, *TINY, f"--run_dir={run}")
    assert done.returncode == 0, done.stderr
    assert "train: 4 pairs of " in done.stderr
    config = RunDirectory(run).read_config()
    assert config.data.data == "files"
    assert "\ufeff" not in (run / "vocab.txt").read_text("utf-8")

    done = train(f"--run_dir={run}", "--train_steps=2")
    assert done.returncode == 0 and "resuming from step 1" in done.stderr
    assert RunDirectory(run).read_config().model == config.model
    answer = run_binary("train", f"--run_dir={run}", "--learning_rate=0.5")
    assert answer.status == 2
    assert "this run has --learning_rate=0.001, not 0.5" in answer.err
    assert f"--init_from={run}" in answer.err


def test_files_for_data_that_have_none(run_binary, texts, tmp_path):
    flags = ("--data=numbers_and_dates", f"--run_dir={tmp_path / 'run'}")
    answer = run_binary("train", *texts, *flags)
    assert answer.status == 2
    assert "--train_source=" in answer.err
    assert "of --data=files, not --data=numbers_and_dates" in answer.err
    assert not (tmp_path / "run").exists()


def test_an_option_of_another_model(run_binary, tmp_path, monkeypatch):
    flags = ("--model=neural_gpu", "--memory_rows=9", f"--run_dir={tmp_path / 'run'}")
    answer = run_binary("train", *flags)
    assert answer.status == 2
    assert "--memory_rows=…: not an option of --model=neural_gpu" in answer.err
    assert "neural_turing_machine" in answer.err


def test_version():
    assert train("--version").stdout == f"neural-gpu-tf {__version__}\n"


def test_a_question_without_quotes(run_binary):
    assert run_binary("solve", "1", "+", "1").out == "10\n"


def test_an_answer_needs_no_tools_of_translation():
    """Nor those of pictures, unless one is asked for: it starts sooner."""
    program = (
        "import sys; from neural_gpu_tf.bin import solve; sys.argv[1:] = ['1 + 1']\n"
        "try: solve.cli()\n"
        "except SystemExit: print(*sorted(sys.modules))"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    answer, modules = done.stdout.splitlines()
    heavy = {"sacrebleu", "tensorflow_text", "tensorflow_datasets", "tabulate"}
    assert answer == "10" and not heavy & set(modules.split())
    assert "neural_gpu_tf.evaluation" not in modules.split()


def test_numbers_in_a_list_of_symbols(run_binary):
    with pytest.raises(InputError, match="has '99', which is 2 symbols"):
        TASKS["sort"].parse("3 1 99")
    answer = run_binary("solve", "--pretrained=sort", "3 1 99")
    assert answer.status == 2 and answer.err.count("\n") == 1
    assert "has '99', which is 2 symbols" in answer.err
    assert TASKS["sort"].parse("3 1 9").tolist() == TASKS["sort"].parse("319").tolist()


def test_lengths_as_a_table(run_binary):
    flags = ("--pretrained=badd", "--bits=4,8", "--examples=5")
    lines = run_binary("evaluate", *flags).out.splitlines()
    assert lines[0].split() == ["length", "columns", "examples", "exact", "symbols"]
    assert [line.split()[::2] for line in lines[1:]] == [
        ["4", "5", "100.00%"],
        ["8", "5", "100.00%"],
    ]
    one = run_binary("evaluate", *flags, "--json").out.splitlines()[-1]
    assert json.loads(one)["lengths"][0]["exact"] == 1


def test_a_byte_order_mark_is_no_text(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(b"\xef\xbb\xbfone\r\n\xef\xbb\xbftwo\n")
    files = TextFiles({"train": (str(tmp_path / "a"), str(tmp_path / "b"))})
    rows = [pair[0].decode() for pair in files.dataset("train").as_numpy_iterator()]
    assert rows == ["one", "\ufefftwo"]
    assert next(files.sentences("train")) == "one"
