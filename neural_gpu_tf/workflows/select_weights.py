"""The choice of a run's best weights among those that its validations found best."""

from collections.abc import Callable

import keras
from absl import logging

from neural_gpu_tf.files import write_atomically
from neural_gpu_tf.training.best_weights import BestWeights
from neural_gpu_tf.training.summaries import Summaries
from neural_gpu_tf.training.training_files import TrainingFiles
from neural_gpu_tf.weights import load_weights


def select_weights(
    model: keras.Model,
    files: TrainingFiles,
    validated: float,
    measure: Callable[[], dict[str, float]],
    by: str,
    summaries: Summaries,
) -> dict[str, float]:
    """Judges the kept weights of a run anew, and makes the best its best weights.

    For a measure that is finer than the validations', whose best values may be luck:
    of several weights that are all right on 80 examples, some are right on 98 in 100.

    Args:
        model: takes the weights in turn.
        files: of the run, whose kept weights (see `BestWeights`) are judged, and whose
            best weights are replaced.
        validated: the lowest value of a validation of this run. Where it is not that of
            kept weights (fewer were kept then), nothing is selected, with a warning.
        measure: scalars by name, of the model with the weights that it has.
        by: the scalar that is lowest for the best weights; of equals the last.
        summaries: where the scalars are written.

    Returns:
        "selected_step", after which the chosen weights were validated, and their
        scalars, "selected_NAME" each; nothing where nothing is selected.
    """
    kept = BestWeights(files.best, 0).best()
    if not kept or kept[0].value > validated:
        logging.warning(
            "%s: does not have the weights of the best validation; nothing is selected",
            files.best,
        )
        return {}
    found = []
    # In the order of the steps, as TensorBoard draws a line through them.
    for one in sorted(kept, key=lambda one: one.step):
        load_weights(model, one.path)
        scalars = measure()
        summaries.report("selection", one.step, scalars)
        found.append((one, scalars))
    best, scalars = min(found, key=lambda pair: (pair[1][by], -pair[0].step))
    write_atomically(files.best_weights, best.path.read_bytes())
    logging.info("%s: those of step %d", files.best_weights, best.step)
    named = {f"selected_{name}": value for name, value in scalars.items()}
    return {"selected_step": float(best.step), **named}


def keep_validated(files: TrainingFiles, validated: float) -> None:
    """Makes the weights of the best validation the best weights: nothing is selected.

    Another start of the run may have selected others.
    """
    kept = BestWeights(files.best, 0).best()
    if kept and kept[0].value <= validated:
        write_atomically(files.best_weights, kept[0].path.read_bytes())
