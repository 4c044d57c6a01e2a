"""Times the spell-out tokenizer and detokenizer: sentences a second of one core.

python -m benchmarks.tokenize --files=train.en.gz,train.fr.gz --vocab=vocab.txt --json
python -m benchmarks.tokenize                       # numbers and dates, generated

The package's, in TensorFlow's graph, some hundred sentences at a time as in training,
against `benchmarks/naive_tokenizer.py`, plain Python, in turns, on the same sentences;
that both give the same is checked. Seconds are those of the processor.
"""

import itertools
import json
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf
from absl import flags

from benchmarks.naive_tokenizer import NaiveTokenizer
from benchmarks.turns import in_turns, spread
from neural_gpu_tf.bin import app
from neural_gpu_tf.data import NumbersAndDates
from neural_gpu_tf.text import SpellOutTokenizer, Vocabulary, count_pieces
from neural_gpu_tf.text.lines import read_lines

AT_ONCE = 512  # sentences in one call, as in the input pipeline


def measure(
    texts: Sequence[str], vocabulary: Vocabulary, rounds: int = 7
) -> dict[str, Any]:
    """Times both tokenizers, both ways.

    Args:
        texts: sentences.
        vocabulary: the symbols.
        rounds: how often each has its turn, after one that is not timed.

    Returns:
        "sentences"; "symbols"; "spelled", the share of symbols that are letters, bytes
        or SPACE; and for "tokenize" and "detokenize", by contender ("package",
        "naive"): median and quartiles (seconds of the processor) and
        "sentences_per_second"; for "naive" also "ratio", its median over the package's.

    Raises:
        RuntimeError: the two do not give the same.
    """
    package, naive = SpellOutTokenizer(vocabulary), NaiveTokenizer(vocabulary)
    batches = [
        tf.constant(list(texts[i : i + AT_ONCE])) for i in range(0, len(texts), AT_ONCE)
    ]
    tokenize = tf.function(
        lambda text: package.tokenize(text),
        input_signature=[tf.TensorSpec([None], tf.string)],
        autograph=False,
    )
    rows, seconds = in_turns(
        {
            "package": lambda: [tokenize(batch) for batch in batches],
            "naive": lambda: [naive.tokenize(text) for text in texts],
        },
        rounds,
        time.process_time,
    )
    symbols = [row for batch in rows["package"] for row in batch.to_list()]
    _check_same("tokenize", texts, symbols, rows["naive"])
    count, pieces = sum(map(len, symbols)), set(vocabulary.piece_ids)
    spelled = sum(symbol not in pieces for row in symbols for symbol in row)
    return {
        "sentences": len(texts),
        "symbols": count,
        "tokenize": _speeds(seconds, len(texts)),
        "spelled": spelled / count,
        "detokenize": _measure_detokenize(package, naive, rows["package"], rounds),
    }


def _measure_detokenize(
    package: SpellOutTokenizer,
    naive: NaiveTokenizer,
    batches: Sequence[tf.RaggedTensor],
    rounds: int,
) -> dict[str, Any]:
    """Times both on batches of symbols; "detokenize" of `measure`."""
    symbols = [row for batch in batches for row in batch.to_list()]
    dense = [batch.to_tensor() for batch in batches]
    detokenize = tf.function(
        lambda symbols: package.detokenize(symbols),
        input_signature=[tf.TensorSpec([None, None], tf.int32)],
        autograph=False,
    )
    written, seconds = in_turns(
        {
            "package": lambda: np.concatenate([detokenize(one) for one in dense]),
            "naive": lambda: [naive.detokenize(row) for row in symbols],
        },
        rounds,
        time.process_time,
    )
    again = [text.decode() for text in written["package"]]
    _check_same("detokenize", symbols, again, written["naive"])
    return _speeds(seconds, len(symbols))


def _check_same(
    what: str, given: Sequence[Any], package: Sequence[Any], naive: Sequence[Any]
) -> None:
    for text, one, other in zip(given, package, naive, strict=True):
        if one != other:
            raise RuntimeError(f"{what} of {text!r} differs: {one!r}, naive {other!r}")


def _speeds(seconds: dict[str, list[float]], sentences: int) -> dict[str, Any]:
    result = {name: spread(one) for name, one in seconds.items()}
    for one in result.values():
        one["sentences_per_second"] = sentences / one["median"]
    result["naive"]["ratio"] = result["naive"]["median"] / result["package"]["median"]
    return result


def generated(count: int) -> list[str]:
    """Numbers and dates, half of them English and half of them French."""
    pairs = NumbersAndDates(
        train_examples=-(-count // 2), validation_examples=1, max_number=999_999
    ).pairs("train")
    return list(itertools.chain.from_iterable(pairs))[:count]


def new_vocabulary(texts: Sequence[str], size: int) -> Vocabulary:
    """The most frequent symbols of the texts."""
    counts = count_pieces(texts)
    return Vocabulary.from_counts(counts.characters, counts.pieces, size)


def main(argv: Sequence[str]) -> None:
    app.no_arguments(argv)
    values = flags.FLAGS
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    if values.files:
        lines = [read_lines(path) for path in values.files]
        texts = list(itertools.islice(itertools.chain(*lines), values.sentences))
    else:
        texts = generated(values.sentences)
    if values.vocab:
        vocabulary = Vocabulary.load(values.vocab)
    else:
        vocabulary = new_vocabulary(texts, values.vocab_size)
    result = measure(texts, vocabulary, values.rounds)
    if values.json:
        print(json.dumps(result))
        return
    print(
        f"{result['sentences']} sentences, {result['symbols']} symbols, "
        f"{result['spelled']:.0%} of them spelled"
    )
    for what in ("tokenize", "detokenize"):
        for name, row in result[what].items():
            print(
                f"{what:<10} {name:<8} {row['sentences_per_second']:10,.0f} sentences "
                f"a second   {row.get('ratio', 1.0):.2f} times the package's time"
            )


if __name__ == "__main__":
    flags.DEFINE_list("files", [], "texts, plain or .gz; none: generated")
    flags.DEFINE_string("vocab", "", "vocabulary file; empty: a new one of the texts")
    flags.DEFINE_integer("vocab_size", 400, "symbols of a new vocabulary")
    flags.DEFINE_integer("sentences", 10_000, "how many, at most", lower_bound=1)
    told = "how often each contender has its turn"
    flags.DEFINE_integer("rounds", 7, told, lower_bound=1)
    flags.DEFINE_bool("json", False, "print one JSON object")
    app.run(main)
