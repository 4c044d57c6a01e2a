"""The translator of a trained run."""

from collections.abc import Mapping
from typing import Any

from neural_gpu_tf.inference import Translator
from neural_gpu_tf.options import SamplingConfig
from neural_gpu_tf.runs.load import Run
from neural_gpu_tf.runs.load_size_predictor import load_size_predictor


def run_translator(
    run: Run,
    options: Mapping[str, Any] | None = None,
    sampling: SamplingConfig | None = None,
) -> Translator:
    """Makes a run's `Translator`, with its size predictor if it is asked for.

    Args:
        run: a run, or the ensemble of several.
        options: those of `DecodingConfig` that differ from the run's.
        sampling: see `Translator`.

    Raises:
        InputError: as `DecodingConfig`, `load_size_predictor` and `Translator`.
    """
    decoding = run.config.decoding.changed(options or {})
    return Translator(
        run.model,
        run.tokenizer,
        decoding,
        sampling,
        load_size_predictor(run, decoding),
    )
