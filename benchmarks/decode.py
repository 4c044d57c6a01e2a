"""Times decoding: the search over canvas sizes, and every model at equal input.

python -m benchmarks.decode --run_dir=runs/demo --sentences=100 --tried_sizes=4 --json
python -m benchmarks.decode --model=extended_neural_gpu --maps=64 --sentences=100
python -m benchmarks.decode --models=all --maps=64 --units=160 --lengths=10,20,40

The search over all sizes of all sentences packed together stands against one sentence
and one size at a time: the same traced functions of TensorFlow, the same outputs, which
is checked, in turns. Where a run has a size predictor, the k likeliest sizes too.
"""

import json
import math
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import keras
import numpy as np
import tensorflow as tf
from absl import flags

from benchmarks.list_flags import define_names, define_numbers, numbers
from neural_gpu_tf.bin import app
from neural_gpu_tf.bin import flags as config_flags
from neural_gpu_tf.constants import EOS
from neural_gpu_tf.data import open_source
from neural_gpu_tf.decoding import SizePredictor, greedy, size_search
from neural_gpu_tf.decoding.size_search import candidate_sizes
from neural_gpu_tf.models import MODELS, build_model
from neural_gpu_tf.options import DecodingConfig, ModelConfig
from neural_gpu_tf.runs import load_run, load_size_predictor

SOURCE = tf.TensorSpec([None, None], tf.int32)
SIZE = tf.TensorSpec([None], tf.int32)
VOCABULARY = 1_000
SHORTEST, LONGEST = 4, 20
Outputs = list[list[int]]


class NeverEnds:
    """A model that can't say EOS: every canvas is decoded to its last column."""

    def __init__(self, model: keras.Model):
        self.model = model
        self.start = model.start

    def stepper(self) -> Callable[..., tuple]:
        return self.step

    def step(self, state: Any, previous: tf.Tensor, t: tf.Tensor) -> tuple:
        """The model's, but for log p(EOS) = -∞."""
        state, logits = self.model.step(state, previous, t)
        end = tf.range(tf.shape(logits)[-1]) == EOS
        return state, tf.where(end, -np.inf, tf.cast(logits, tf.float32))


def _traced(search: Callable[..., Any]) -> Callable[..., Any]:
    """A search as a graph, for any number of sources of any length."""
    return tf.function(search, input_signature=[SOURCE, SIZE], autograph=False)


def _one_by_one(
    on_canvas: Callable[..., Any], source: np.ndarray, sizes: np.ndarray
) -> Outputs:
    """Of each source the best output, from one canvas at a time."""
    outputs = []
    for symbols, own in zip(source, sizes, strict=True):
        found = []
        for n in own[own > 0]:
            row = np.zeros((1, n), np.int32)
            row[0, : min(n, len(symbols))] = symbols[:n]
            one = on_canvas(row, [n])
            finished, log_p = bool(one.finished[0]), float(one.log_probability[0])
            found.append((not finished, -log_p, n, one.symbols[0].numpy()))
        outputs.append(_said(min(found, key=lambda one: one[:3])[3]))
    return outputs


def measure_search(
    model: keras.Model,
    source: np.ndarray,
    length: np.ndarray,
    config: DecodingConfig,
    size_predictor: SizePredictor | None = None,
    rounds: int = 3,
) -> dict[str, Any]:
    """Times greedy size searches of the same sentences in turns.

    Args:
        model: whose output depends on the canvas.
        source, length: symbols [sentences, n] with PAD behind; how many, at least 1.
        config: the decoding options; its `sizes` are not looked at.
        size_predictor: for the likeliest sizes; None: left out.
        rounds: how often each has its turn.

    Returns:
        For "one_by_one", "packed" and maybe "predicted": median "seconds";
        "symbols_per_second", EOS included; "canvases" decoded; "ratio", one_by_one's
        seconds over its own; for the last "same", the share of packed's outputs.

    Raises:
        RuntimeError: packed and one by one decode differently.
    """
    all_sizes = DecodingConfig(**{**vars(config), "sizes": "all", "beam": 1})
    likeliest = DecodingConfig(**{**vars(all_sizes), "sizes": "predicted"})
    sizes = np.array(candidate_sizes(length, all_sizes))
    on_canvas = _traced(lambda x, n: greedy(model, x, n))

    def all_at_once(options: DecodingConfig, predictor: Any) -> Callable[[], Outputs]:
        search = _traced(lambda x, n: size_search(model, x, n, options, predictor))
        return lambda: [_said(row) for row in search(source, length).symbols.numpy()]

    contenders = {
        "one_by_one": lambda: _one_by_one(on_canvas, source, sizes),
        "packed": all_at_once(all_sizes, None),
    }
    canvases = dict.fromkeys(contenders, int(np.count_nonzero(sizes)))
    if size_predictor:
        contenders["predicted"] = all_at_once(likeliest, size_predictor)
        tried = np.minimum(config.tried_sizes, np.count_nonzero(sizes, axis=1))
        canvases["predicted"] = int(tried.sum())
    outputs, seconds = _in_turns(contenders, rounds)
    different = sum(map(list.__ne__, outputs["packed"], outputs["one_by_one"]))
    if different:
        raise RuntimeError(f"{different} of {len(source)} outputs differ")
    result = {
        name: {
            "seconds": seconds[name],
            "symbols_per_second": sum(map(len, outputs[name])) / seconds[name],
            "canvases": count,
            "ratio": seconds["one_by_one"] / seconds[name],
        }
        for name, count in canvases.items()
    }
    if size_predictor:
        same = map(list.__eq__, outputs["packed"], outputs["predicted"])
        result["predicted"]["same"] = statistics.mean(same)
    return result


def measure_models(
    models: Sequence[str],
    options: dict[str, Any],
    lengths: Sequence[int],
    batch: int,
    rounds: int = 3,
) -> dict[str, Any]:
    """Times greedy decoding of untrained models, all on the same input, in turns.

    Every canvas of n columns is full of source symbols, and n symbols are said.

    Args:
        models: of `MODELS`.
        options: of `ModelConfig`, but for the model.
        lengths: n.
        batch: canvases that are decoded together.
        rounds: how often each has its turn.

    Returns:
        By model: "weights", "symbols_per_second" by n, and "exponent" e of the cost
        of a canvas, seconds ~ n^e, by least squares over all n (None for only one).
    """
    contenders, result = {}, {}
    random = np.random.default_rng(0)
    source = random.integers(4, VOCABULARY, (batch, max(lengths))).astype(np.int32)
    for name in models:
        keras.utils.set_random_seed(0)
        model = build_model(ModelConfig(**{**options, "model": name}), VOCABULARY)
        result[name] = {"weights": model.count_params()}
        model = NeverEnds(model)
        decode = tf.function(
            lambda x, n, model=model: greedy(model, x, n).symbols,
            input_signature=[SOURCE, SIZE],
            autograph=False,
        )
        for n in lengths:
            contenders[name, n] = lambda decode=decode, n=n: decode(
                source[:, :n], np.full(batch, n, np.int32)
            ).numpy()
    outputs, seconds = _in_turns(contenders, rounds)
    if any(np.any(symbols <= EOS) for symbols in outputs.values()):
        raise RuntimeError("a canvas ended before its last column")
    for name in models:
        times = [seconds[name, n] for n in lengths]
        result[name]["symbols_per_second"] = {
            n: batch * n / time for n, time in zip(lengths, times, strict=True)
        }
        result[name]["exponent"] = None
        if len(set(lengths)) > 1:
            slope, _ = np.polyfit(np.log(lengths), np.log(times), 1)
            result[name]["exponent"] = float(slope)
    return result


def _in_turns(contenders: dict, rounds: int) -> tuple[dict, dict]:
    """What each gives, at its first call, which traces, and its median seconds."""
    outputs = {name: contender() for name, contender in contenders.items()}
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, contender in contenders.items():
            start = time.perf_counter()
            contender()
            seconds[name].append(time.perf_counter() - start)
    return outputs, {name: statistics.median(x) for name, x in seconds.items()}


def _said(symbols: np.ndarray) -> list[int]:
    """The symbols of an output, its EOS included, without the PAD behind."""
    return symbols[symbols > 0].tolist()


def _sentences(
    values: Any,
) -> tuple[keras.Model, np.ndarray, np.ndarray, DecodingConfig, Any]:
    """What `measure_search` takes: of a run, with validation data, or a new model."""
    options = config_flags.given(DecodingConfig)
    if not values.run_dir:
        keras.utils.set_random_seed(0)
        model = build_model(config_flags.read(ModelConfig), VOCABULARY)
        random = np.random.default_rng(0)
        length = random.integers(SHORTEST, LONGEST + 1, values.sentences)
        symbols = random.integers(4, VOCABULARY, (values.sentences, LONGEST))
        source = symbols * (np.arange(LONGEST) < length[:, None])
        return model, source.astype(np.int32), length, DecodingConfig(**options), None
    of_new = config_flags.names(ModelConfig)
    config_flags.refuse(of_new, "--run_dir has a model already; leave one of them out")
    run = load_run(values.run_dir)
    config = DecodingConfig(**{**vars(run.config.decoding), **options})
    pairs = open_source(run.config.data, ["validation"]).dataset("validation")
    texts = [text for text, _ in pairs.take(values.sentences).as_numpy_iterator()]
    rows = run.tokenizer.tokenize(texts)[:, : config.max_source_length]
    predictor = None
    if config.sizes == "predicted":
        predictor = load_size_predictor(run, config)
    source = rows.to_tensor().numpy().astype(np.int32)
    length = rows.row_lengths().numpy().astype(np.int32)
    return run.model, source, length, config, predictor


def main(argv: Sequence[str]) -> None:
    app.no_arguments(argv)
    values = flags.FLAGS
    config_flags.refuse({"beam"}, "greedy decoding is timed; leave it out")
    if values.models:
        of_search = config_flags.names(DecodingConfig)
        config_flags.refuse(of_search, "not with --models; leave one of them out")
        models = list(MODELS) if "all" in values.models else values.models
        options = config_flags.given(ModelConfig)
        lengths = numbers("lengths")
        result = measure_models(models, options, lengths, values.batch, values.rounds)
    else:
        result = measure_search(*_sentences(values), values.rounds)
    if values.json:
        print(json.dumps(result))
        return
    for name, row in result.items():
        print(f"{name:<22}", "  ".join(f"{k} {_short(v)}" for k, v in row.items()))


def _short(value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(f"{key}: {_short(one)}" for key, one in value.items())
    if isinstance(value, float) and not math.isnan(value):
        return f"{value:.4g}"
    return str(value)


if __name__ == "__main__":
    config_flags.define(ModelConfig)
    config_flags.define(DecodingConfig)
    flags.DEFINE_string("run_dir", "", "a trained run; empty: an untrained --model")
    told = "how many, of the run's validation data"
    flags.DEFINE_integer("sentences", 100, told, lower_bound=1)
    told = "instead: of these models, or all, greedy decoding"
    define_names("models", [], [*MODELS, "all"], told)
    define_numbers("lengths", [10, 20, 40], "with --models: columns n")
    told = "with --models: canvases decoded together"
    flags.DEFINE_integer("batch", 32, told, lower_bound=1)
    told = "how often each contender has its turn"
    flags.DEFINE_integer("rounds", 3, told, lower_bound=1)
    flags.DEFINE_bool("json", False, "print one JSON object")
    app.run(main)
