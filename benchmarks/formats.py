"""What each format of an export holds of each model, its size and its time a sentence.

python -m benchmarks.formats                       # a table of all models
python -m benchmarks.formats --only=enfr --json

Of every model one with random weights, whose logits are far apart, and the pretrained
translator. They translate sentences made of random words of its vocabulary, one after
the other, from text to text; the formats take turns.
"""

import json
import random
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import keras
import tensorflow as tf
from absl import flags

from benchmarks.turns import in_turns
from neural_gpu_tf.bin import app
from neural_gpu_tf.bin import flags as config_flags
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.inference import Translator
from neural_gpu_tf.inference.translate_stream import TranslatesText
from neural_gpu_tf.models import MODELS, build_model
from neural_gpu_tf.options import DecodingConfig, ModelConfig
from neural_gpu_tf.pretrained_models import pretrained_run
from neural_gpu_tf.runs import load_runs, run_translator
from neural_gpu_tf.serving import export, export_decoder, load_exported
from neural_gpu_tf.serving.formats import FORMATS
from neural_gpu_tf.text import SpellOutTokenizer, Vocabulary

PRETRAINED = "enfr"
LONGEST = 12  # words of a sentence
PIECES = 300  # of the vocabulary of models with random weights
SHARPENED = 6  # so that rounding changes no symbol


def sentences(vocabulary: Vocabulary, count: int) -> list[str]:
    """Random words of a vocabulary, of which only those of one letter are left out."""
    draw = random.Random(0)
    words = [piece for piece in vocabulary.pieces if piece.isalpha()]
    lengths = [draw.randint(1, LONGEST) for _ in range(count)]
    return [" ".join(draw.choices(words, k=n)) for n in lengths]


def random_translator(name: str, vocabulary: Vocabulary) -> Translator:
    """A translator of random weights, of the sizes that the flags say."""
    keras.utils.set_random_seed(7)
    config = config_flags.read(ModelConfig)
    model = build_model(ModelConfig(**{**vars(config), "model": name}), len(vocabulary))
    output = [layer for layer in model.layers if hasattr(layer, "kernel")][-1]
    output.kernel.assign(SHARPENED * output.kernel)
    return Translator(model, SpellOutTokenizer(vocabulary), DecodingConfig())


def measure(
    translator: Translator, texts: Sequence[str], rounds: int = 3
) -> dict[str, dict[str, Any]]:
    """Exports a translator in all formats and translates the same texts in turns.

    Args:
        translator: what to export.
        texts: sentences.
        rounds: how often each format has its turn.

    Returns:
        By format: "megabytes" of the folder; "seconds" of a sentence, the mean of the
        sentences' medians; "same", how many translations are the translator's own. Of
        one that can't be written: "reason".
    """
    expected = translator.translate(tf.constant(texts))["text"].numpy().tolist()
    results: dict[str, dict[str, Any]] = {}
    loaded = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in ("saved_model", *FORMATS):
            try:
                path = _export(translator, Path(folder, name), name)
            except InputError as error:
                results[name] = {"reason": str(error)}
                continue
            size = sum(x.stat().st_size for x in path.rglob("*") if x.is_file())
            results[name] = {"megabytes": size / 1e6, "seconds": 0.0, "same": 0}
            loaded[name] = load_exported(path)
        for text, right in zip(texts, expected, strict=True):
            calls = {k: partial(_translation, x, text) for k, x in loaded.items()}
            outputs, seconds = in_turns(calls, rounds)
            for name, output in outputs.items():
                results[name]["same"] += output == right
                results[name]["seconds"] += median(seconds[name]) / len(texts)
    return results


def _export(translator: Translator, directory: Path, name: str) -> Path:
    if name == "saved_model":
        return export(translator, directory)
    return export_decoder(translator, directory, name)


def _translation(translator: TranslatesText, text: str) -> bytes:
    return translator.translate(tf.constant([text]))["text"].numpy()[0]


def table(results: dict[str, dict[str, Any]]) -> str:
    """Rows of Markdown."""
    names = ["saved_model", *FORMATS]
    lines = [f"| model | {' | '.join(names)} |", "| --- " * (len(names) + 1) + "|"]
    for model, formats in results.items():
        lines.append(f"| {model} | {' | '.join(_cell(formats[x]) for x in names)} |")
    return "\n".join(lines)


def _cell(result: dict[str, Any]) -> str:
    if "reason" in result:
        return f"no: {result['reason']}"
    return (
        f"{result['same']} same, {result['megabytes']:.2f} MB, "
        f"{1e3 * result['seconds']:.1f} ms"
    )


def main(argv: Sequence[str]) -> None:
    app.no_arguments(argv)
    values = flags.FLAGS
    trained = run_translator(load_runs([pretrained_run(PRETRAINED)]), {})
    known = trained.tokenizer.vocabulary
    letters = [x for x in known.characters if x.isalpha()]
    small = Vocabulary(letters, known.pieces[:PIECES])
    results = {}
    for name in values.only or [*MODELS, PRETRAINED]:
        translator = trained if name == PRETRAINED else random_translator(name, small)
        texts = sentences(translator.tokenizer.vocabulary, values.sentences)
        results[name] = measure(translator, texts, values.rounds)
        keras.backend.clear_session()
        if not values.json:
            print(table({name: results[name]}).splitlines()[-1], flush=True)
    print(json.dumps(results) if values.json else table(results))


if __name__ == "__main__":
    config_flags.define(ModelConfig)
    names = [*MODELS, PRETRAINED]
    flags.DEFINE_multi_enum("only", [], names, "which models; not given: all")
    flags.DEFINE_integer("sentences", 100, "how many are translated", lower_bound=1)
    flags.DEFINE_integer("rounds", 3, "turns of each format", lower_bound=1)
    flags.DEFINE_bool("json", False, "print JSON")
    flags.FLAGS.set_default("maps", 32)
    flags.FLAGS.set_default("width", 1)
    flags.FLAGS.set_default("units", 64)
    flags.FLAGS.set_default("embedding_size", 32)
    app.run(main)
