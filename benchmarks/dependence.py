"""Which dependence between output symbols a model can express, with exact floors.

python -m benchmarks.dependence --model=extended_neural_gpu --minutes=4 --json
python -m benchmarks.dependence --minutes=4 --seeds=0,1

The source is 6 words, drawn of 10. A fair coin chooses mode A or B for the whole
sentence, and word w becomes c1_mode(w), c2_mode(w) and a separator: 19 symbols with
EOS. Whatever a model has learned, the least perplexity of a symbol that it can reach is
known:

    exp(12 ln 2 / 19) = 1.549   independent symbols           (Neural GPU)
    exp(6 ln 2 / 19)  = 1.245   symbols that know the last one (Markovian)
    exp(ln 2 / 19)    = 1.037   symbols that know all before   (Extended, attention)

and so is the share of sampled sentences that are of one mode throughout: 2 · 2^-12,
2 · 2^-6 and 1. That is what Table 1 of Kaiser & Bengio (2016), "Can Active Memory
Replace Attention?", says of the three models, where it can be proved.
"""

import json
import math
import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from absl import flags

from benchmarks.averaged import averaged
from benchmarks.equal_size import OWN, find_size, sized
from benchmarks.list_flags import define_numbers, numbers
from benchmarks.one_core import keep_to_one_core
from neural_gpu_tf.constants import EOS

WORDS, LENGTH = 10, 6
SYMBOLS = 3 * LENGTH + 1
SEPARATOR = EOS + 1
FIRST_WORD = SEPARATOR + 1
FIRST_PART = FIRST_WORD + WORDS
VOCABULARY = FIRST_PART + 4 * WORDS
WEIGHTS = 300_000
MODELS = (
    "neural_gpu",
    "markovian_neural_gpu",
    "extended_neural_gpu",
    "attention_seq2seq",
)


def floor(model: str) -> float:
    """The least perplexity of a symbol that a model of this name can reach."""
    from neural_gpu_tf.models import MODELS as CLASSES

    coins = 1  # fair ones, that it tosses for a sentence
    if CLASSES[model].answers_at_once:
        coins = 2 * LENGTH
    elif model == "markovian_neural_gpu":
        coins = LENGTH
    return math.exp(coins * math.log(2) / SYMBOLS)


def part(word: np.ndarray, which: int, mode: np.ndarray) -> np.ndarray:
    """The symbol c1 (which = 0) or c2 (1) of a word, 0 to 9, in mode 0 or 1."""
    return FIRST_PART + 4 * word + 2 * which + mode


def generate(rng: np.random.Generator, count: int) -> dict[str, np.ndarray]:
    """Sentences: source and target int32 [count, 19], size int32 [count]."""
    words = rng.integers(WORDS, size=(count, LENGTH))
    mode = rng.integers(2, size=(count, 1))
    source = np.zeros((count, SYMBOLS), np.int32)
    source[:, :LENGTH] = FIRST_WORD + words
    target = np.full((count, SYMBOLS), SEPARATOR, np.int32)
    target[:, 0:-1:3] = part(words, 0, mode)
    target[:, 1:-1:3] = part(words, 1, mode)
    target[:, -1] = EOS
    return {
        "source": source,
        "target": target,
        "size": np.full(count, SYMBOLS, np.int32),
    }


def of_one_mode(source: np.ndarray, symbols: np.ndarray) -> np.ndarray:
    """Whether each output is the translation of its source in one of the modes."""
    words = source[:, :LENGTH] - FIRST_WORD
    right = (symbols[:, 2:-1:3] == SEPARATOR).all(axis=1) & (symbols[:, -1] == EOS)
    modes = [
        (symbols[:, 0:-1:3] == part(words, 0, np.full_like(words, mode))).all(axis=1)
        & (symbols[:, 1:-1:3] == part(words, 1, np.full_like(words, mode))).all(axis=1)
        for mode in (0, 1)
    ]
    return right & (modes[0] | modes[1])


def configuration(name: str, seed: int) -> tuple[Any, Any]:
    """The options of a model of about 300,000 weights, and those of its training."""
    from neural_gpu_tf.models import build_model
    from neural_gpu_tf.options import ModelConfig, TrainingConfig

    recurrent = name in ("attention_seq2seq", "rnn_seq2seq", "fixed_memory_seq2seq")
    common = {} if recurrent else {"width": 1, "layers": 2, "gate_cutoff": 1.0}
    fields = ModelConfig.__dataclass_fields__
    common |= {k: v for k, v in OWN.get(name, {}).items() if k in fields}

    def config(x: int) -> ModelConfig:
        return ModelConfig(model=name, **common, **sized(name, x))

    def count(x: int) -> int:
        return build_model(config(x), VOCABULARY).count_params()

    training = TrainingConfig(
        learning_rate=0.002 if recurrent else 0.005,
        adam_epsilon=1e-8 if recurrent else 1e-4,
        average_decay=0.99,
        training_seed=seed,
    )
    return config(find_size(count, WEIGHTS)), training


def measure(
    name: str, minutes: float, seed: int = 0, batch: int = 32, held_out: int = 2_000
) -> Iterator[dict[str, Any]]:
    """Trains one model on sentences drawn anew each time; measures it at the end.

    The learning rate rises for 100 steps and falls along a line with the minutes, which
    are the processor's: other work on the machine changes nothing. What is measured is
    the running average of the weights on sentences drawn by another seed, of which few
    came up in training; their coins are their own.

    Yields:
        Now and then: model, seed, weights, steps, minutes and loss (a symbol, nats);
        at the end also perplexity_symbol, floor, above_floor and one_mode, the share
        of sampled outputs that are of one mode throughout.
    """
    import tensorflow as tf

    config, training = configuration(name, seed)
    highest = training.learning_rate
    model, optimizer, step = averaged(config, training, VOCABULARY)
    rng, steps, start = np.random.default_rng([seed, 0]), 0, time.process_time()
    row = {"model": name, "seed": seed, "weights": model.count_params()}
    while (seconds := time.process_time() - start) < 60 * minutes:
        left = 1.0 - seconds / (60 * minutes)
        optimizer.learning_rate.assign(highest * min(left, (steps + 1) / 100))
        sentences = generate(rng, batch)
        result = step({k: tf.constant(x) for k, x in sentences.items()})
        steps += 1
        if steps % 200 == 0:
            loss = float(result.loss) / float(result.symbols)
            more = {"minutes": round(seconds / 60, 2), "loss": round(loss, 4)}
            yield row | {"steps": steps} | more
    optimizer.finalize_variable_values(model.trainable_variables)
    found = judge(model, name, generate(np.random.default_rng([seed, 1]), held_out))
    yield row | {"steps": steps, "minutes": minutes} | found


def judge(
    model: Any, name: str, sentences: dict[str, np.ndarray], at_once: int = 100
) -> dict[str, float]:
    """The perplexity, and how many sampled outputs are of one mode throughout."""
    import tensorflow as tf

    from neural_gpu_tf.decoding import sample
    from neural_gpu_tf.models.losses import cross_entropy
    from neural_gpu_tf.options import SamplingConfig

    @tf.function(autograph=False)
    def nats(batch: dict[str, tf.Tensor]) -> tf.Tensor:
        return tf.reduce_sum(cross_entropy(model(batch), batch["target"]))

    @tf.function(autograph=False)
    def drawn(source: tf.Tensor, size: tf.Tensor, uniform: tf.Tensor) -> tf.Tensor:
        return sample(model, source, size, uniform, SamplingConfig(sample=True)).symbols

    rng = np.random.default_rng(7)
    count = len(sentences["size"])
    total, whole = 0.0, []
    for first in range(0, count, at_once):
        some = {k: x[first : first + at_once] for k, x in sentences.items()}
        total += float(nats({k: tf.constant(x) for k, x in some.items()}))
        uniform = rng.random(some["source"].shape, np.float32)
        symbols = drawn(some["source"], some["size"], uniform).numpy()
        whole.append(of_one_mode(some["source"], symbols.reshape(-1, SYMBOLS)))
    perplexity = math.exp(total / (count * SYMBOLS))
    return {
        "perplexity_symbol": round(perplexity, 4),
        "floor": round(floor(name), 4),
        "above_floor": round(perplexity / floor(name) - 1, 4),
        "one_mode": round(float(np.mean(np.concatenate(whole))), 4),
    }


def main(argv: Sequence[str]) -> None:
    app.no_arguments(argv)
    keep_to_one_core()
    values = flags.FLAGS
    names = [values.model] if values.model else MODELS
    for name in names:
        for seed in numbers("seeds"):
            for row in measure(name, values.minutes, seed):
                if values.json or "floor" in row:
                    print(json.dumps(row), flush=True)


if __name__ == "__main__":
    from neural_gpu_tf.bin import app
    from neural_gpu_tf.options.model import NAMES

    told = "one model; if not given, all four of Table 1"
    flags.DEFINE_enum("model", "", ["", *NAMES], told)
    flags.DEFINE_float("minutes", 4.0, "of the processor, for training each model")
    define_numbers("seeds", [0], "seeds", least=0)
    flags.DEFINE_bool("json", False, "print progress too, as JSON lines")
    app.run(main)
