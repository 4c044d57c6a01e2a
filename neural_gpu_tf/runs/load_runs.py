"""One trained model, or several that are decoded together."""

import os
from collections.abc import Sequence

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.models import Ensemble
from neural_gpu_tf.runs.load import Run, load_run


def load_runs(paths: Sequence[str | os.PathLike[str]], which: str = "best") -> Run:
    """Loads a run, or several as one, whose model is their `Ensemble`.

    Path, configuration, vocabulary and tokenizer are those of the first one.

    Args:
        paths: the run directories, at least one.
        which: "best" or "last" weights.

    Raises:
        InputError: as `load_run`; or the vocabularies differ.
    """
    first, *others = runs = [load_run(path, which) for path in paths]
    for other in others:
        if other.vocabulary.fingerprint() != first.vocabulary.fingerprint():
            raise InputError(
                f"{other.path}: its vocabulary is not that of {first.path}; models "
                "decode together only if they share one"
            )
    if not others:
        return first
    return first._replace(model=Ensemble([run.model for run in runs]))
