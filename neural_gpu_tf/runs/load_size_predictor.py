"""What predicts the canvas sizes of a trained run."""

import hashlib

import keras
import numpy as np

from neural_gpu_tf.decoding import SizePredictor
from neural_gpu_tf.errors import InputError, reason
from neural_gpu_tf.models import Ensemble
from neural_gpu_tf.options import DecodingConfig
from neural_gpu_tf.runs.load import Run
from neural_gpu_tf.runs.run_directory import RunDirectory


def load_size_predictor(run: Run, decoding: DecodingConfig) -> SizePredictor | None:
    """The run's `SizePredictor`; of an ensemble, that of its first run.

    Args:
        run: the run.
        decoding: how to decode; None is returned unless its `sizes` is predicted.

    Raises:
        InputError: there is none, it was fitted to other weights, or the run has a
            model that depends on no canvas size.
    """
    if decoding.sizes != "predicted":
        return None
    ensemble = isinstance(run.model, Ensemble)
    model = run.model.members[0] if ensemble else run.model
    if not model.sized:
        raise InputError(
            f"--sizes=predicted: {run.path} does not depend on a canvas size; name a "
            "run that does before it"
        )
    path = RunDirectory(run.path).size_predictor
    remedy = f"make it: neural-gpu-fit-sizes --run_dir={run.path}, or give --sizes=all"
    if not path.exists():
        raise InputError(f"--sizes=predicted: no {path}; {remedy}")
    try:
        readout = keras.saving.load_model(path, compile=False, safe_mode=True)
    except (ValueError, OSError, KeyError, TypeError, RecursionError) as error:
        why = reason(error)
        raise InputError(f"{path}: damaged ({why}); {remedy}") from error
    if readout.fitted_to != weights_fingerprint(model):
        raise InputError(f"{path}: fitted to other weights than the run's; {remedy}")
    return SizePredictor(model, readout)


def weights_fingerprint(model: keras.Model) -> str:
    """A hash of all weights."""
    digest = hashlib.sha256()
    for weight in model.get_weights():
        digest.update(np.ascontiguousarray(weight).tobytes())
    return digest.hexdigest()
