import gzip
import sys
from argparse import Namespace

import numpy as np
import pytest

from benchmarks import csv_rows, peers, peers_figure, peers_transformer
from benchmarks.naive_tokenizer import NaiveTokenizer
from benchmarks.peers_tokens import PlainVocabulary, padded
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.pretrained_models import pretrained_run
from neural_gpu_tf.text import Vocabulary

VOCABULARY = pretrained_run("enfr") / "vocab.txt"


def row(runtime="A", beam=1, threads=1, cpu50=20.0, bleu=57.1):
    times = {"p50": 21.0, "p95": 42.0, "p99": 54.0}
    times |= {"cpu50": cpu50, "cpu95": 40.0, "cpu99": 51.26}
    others = {
        "speed": 99.6,
        "cpu_speed": 120.2,
        "memory": 0.5,
        "load": 4.0,
        "megabytes": 71.7,
    }
    return peers_figure.Row(
        "enfr", runtime, beam, threads, bleu=bleu, **times, **others
    )


def test_percentiles_are_those_of_each_sentences_median():
    seconds = [k / 1000 for k in range(101)]
    rounds = [seconds, [9.0] * 101, seconds]  # one turn was disturbed
    expected = {"p50": 50, "p95": 95, "p99": 99}
    assert peers.percentiles(rounds) == pytest.approx(expected)
    assert list(peers.percentiles(rounds, "cpu")) == ["cpu50", "cpu95", "cpu99"]


def test_the_table_has_a_line_a_contender():
    table = peers_figure.table([row(), row("B", beam=5)]).splitlines()
    assert len({line.count("|") for line in table}) == 1
    assert table[3] == (
        "| enfr | B | 5 | 1 | 20.0, 40.0, 51.3 ms | 21.0, 42.0, 54.0 ms | 120, 100/s "
        "| 0.50 GB | 4.0 s | 57.1 | 72 MB |"
    )


def test_the_picture_has_a_line_a_runtime_of_the_fewest_threads(tmp_path):
    rows = [row(beam=5, cpu50=30.0, bleu=58.6), row(), row("B"), row("B", threads=2)]
    found = peers_figure.lines(rows)
    assert [[x.beam for x in line] for line in found.values()] == [[1, 5], [1]]
    (axes,) = peers_figure.draw(rows).axes
    assert [list(line.get_xdata()) for line in axes.lines] == [[20, 30], [20]]
    assert [list(line.get_ydata()) for line in axes.lines] == [[57.1, 58.6], [57.1]]
    for _ in range(2):  # the second time in place of the first
        peers_figure.write(rows, tmp_path)
    path = tmp_path / "serving_frontier.csv"
    assert csv_rows.read(path, peers_figure.Row) == rows
    assert path.with_suffix(".png").stat().st_size > 1e4


def test_the_plain_vocabulary_is_the_packages():
    known, plain = Vocabulary.load(VOCABULARY), PlainVocabulary.load(VOCABULARY)
    assert tuple(plain.symbols) == known.symbols
    for name in ("byte_ids", "character_ids", "piece_ids"):
        assert getattr(plain, name) == getattr(known, name)
    text = "A man, Zbygniew, is 3.5 % ▁ late."
    ours, theirs = NaiveTokenizer(plain), NaiveTokenizer(known)
    assert ours.tokenize(text) == theirs.tokenize(text)
    assert ours.detokenize(ours.tokenize(text)) == text


def test_rows_are_padded_to_one_column_at_least():
    assert padded([[], [5, 6]]) == [[0, 0], [5, 6]]
    assert padded([[]]) == [[0]]


def test_what_is_missing_is_told_in_one_line(monkeypatch, capsys):
    names = ("numpy", "no_such_package", "nor_this")
    assert peers_transformer.missing("", names) == list(names[1:])
    monkeypatch.setattr(peers_transformer, "missing", lambda python: ["torch"])
    values = Namespace(peers_python="", peers_dir="")
    assert peers.their_ways(values, VOCABULARY, [1]) == []
    assert capsys.readouterr().err == (
        "torch not installed: the Transformer is left out; name a Python that has it "
        "with --peers_python\n"
    )
    monkeypatch.setattr(peers_transformer, "missing", lambda python: [])
    with pytest.raises(InputError, match="--peers_dir=DIR"):
        peers.their_ways(values, VOCABULARY, [1])


def test_a_python_that_is_not_there_is_told():
    with pytest.raises(InputError, match="peers_python=/no/python"):
        peers_transformer.missing("/no/python")


def test_the_pairs_end_with_eos(tmp_path):
    for name in ("train", "val"):
        for language, text in (("en", "two men\na\n"), ("fr", "deux hommes\nun chien")):
            with gzip.open(tmp_path / f"{name}.{language}.gz", "wt") as file:
                file.write(text)
    peers_transformer.write_pairs(tmp_path / "pairs.npz", tmp_path, VOCABULARY)
    tokenizer = NaiveTokenizer(PlainVocabulary.load(VOCABULARY))
    with np.load(tmp_path / "pairs.npz") as pairs:
        assert pairs["train_source"].tolist() == [
            [*tokenizer.tokenize("two men"), 2],
            [*tokenizer.tokenize("a"), 2, 0],
        ]
        assert (pairs["validation_target"] == pairs["train_target"]).all()


def tiny_transformer():
    """A Transformer of random weights, and its options."""
    torch = pytest.importorskip("torch", reason="PyTorch is no dependency")
    from benchmarks import textbook_torch_transformer as textbook

    sizes = {"vocabulary": 40, "size": 16, "inner": 24, "layers": 2, "heads": 2}
    torch.manual_seed(0)
    options = textbook.OPTIONS | sizes
    model = textbook.Transformer(options).eval()
    with torch.no_grad():
        for weight in model.parameters():  # norms and biases too
            weight.add_(0.2 * torch.randn_like(weight))
    return model, options


def test_ctranslate2_has_the_weights_in_the_right_places(tmp_path):
    model, options = tiny_transformer()
    ctranslate2 = pytest.importorskip("ctranslate2", reason="it is no dependency")
    import torch
    import torch.nn.functional as F

    from benchmarks import peers_convert

    symbols = ["<pad>", "<go>", "<eos>", *map(str, range(3, 40))]
    peers_convert.write(model.state_dict(), options, symbols, tmp_path)
    source, target = torch.tensor([[9, 8, 7, 2]]), torch.tensor([[5, 31, 6, 2]])
    with torch.no_grad():
        rows = model.write(*model.read(source), F.pad(target[:, :-1], (1, 0), value=1))
        logits = F.linear(rows, model.target.weight)
    expected = F.log_softmax(logits, -1).gather(2, target[:, :, None]).flatten()
    loaded = ctranslate2.Translator(str(tmp_path / "float32"), compute_type="float32")
    (score,) = loaded.score_batch([["9", "8", "7", "<eos>"]], [["5", "31", "6"]])
    assert score.log_probs == pytest.approx(expected.tolist(), abs=1e-4)
    small, large = (
        (tmp_path / kind / "model.bin").stat().st_size for kind in ("int8", "float32")
    )
    assert small < large


def test_the_transformers_training_goes_on_where_it_ended(tmp_path):
    model, options = tiny_transformer()
    import torch

    from benchmarks import textbook_torch_transformer as textbook

    random = np.random.default_rng(0)
    symbols = random.integers(3, 40, (50, 7)).astype(np.int16)
    symbols[:, 6] = 2
    names = ("train_source", "train_target", "validation_source", "validation_target")
    pairs = dict.fromkeys(names, symbols)
    options |= {"batch": 8, "steps": 6, "warmup": 2, "every": 2, "averaged": 2}
    options["bfloat16"] = False
    for name in ("whole", "parts"):
        (tmp_path / name).mkdir()
    told = textbook.train(pairs, options, tmp_path / "whole")
    assert told["weights"] == sum(x.numel() for x in model.parameters())
    training = textbook.Training(options, tmp_path / "parts")
    for which in textbook.epoch_batches(np.full(50, 7), 8, 0, 0)[:4]:
        training.update(*[textbook.rows(symbols, which)] * 2)
        if training.step % 2 == 0:
            training.save(0.0)
    textbook.train(pairs, options, tmp_path / "parts")
    one, other = (
        torch.load(tmp_path / name / "transformer.pt") for name in ("whole", "parts")
    )
    assert all(torch.equal(one[name], other[name]) for name in one)


@pytest.mark.slow
def test_a_process_translates(exported):
    way = peers.Way("tiny", "SavedModel", "session", exported, 1, sys.executable)
    pairs = [("six", "six"), ("five two", "cinq deux"), ("", "")]
    (found,) = peers.measure([way], [1], VOCABULARY, pairs, 2, batch=2, rounds=2)
    assert found[:4] == ("tiny", "SavedModel", 1, 1)
    assert 0 < found.p50 <= found.p95 <= found.p99 < 1e3 * found.load
    assert found.memory > 0.1
