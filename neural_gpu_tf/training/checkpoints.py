"""Checkpoints that are found again whatever happened to the newest ones."""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import tensorflow as tf
from absl import logging

from neural_gpu_tf.errors import InputError, reason
from neural_gpu_tf.files import to_disk
from neural_gpu_tf.training.training_files import CHECKPOINT, checkpoint_steps

_STATE = "checkpoint"  # TensorFlow's file that names them


class Checkpoints:
    """The newest N checkpoints of a run, by the step they were written at.

    A checkpoint is two files, ckpt-STEP.index and ckpt-STEP.data-00000-of-00001, with
    the CRC-32C of every tensor. Whether one is whole is found by reading it, from the
    newest on until one is. The file `checkpoint`, where TensorFlow names the newest, is
    written anew if it is lost or damaged or names what is not whole.

    Args:
        parts: what to save and restore, by name.
        directory: where; made with the first checkpoint.
        keep: N.
        writes: False in a process that only restores them while another one writes.
        newer: names of parts that checkpoints of older versions may lack; these are
            then as they were made.

    Attributes:
        lacking: the names of those that the restored one lacks.
    """

    def __init__(
        self,
        parts: Mapping[str, Any],
        directory: Path,
        keep: int,
        writes: bool = True,
        newer: Sequence[str] = (),
    ):
        self.parts = parts
        self.newer = newer
        self.lacking: set[str] = set()
        self.directory = directory
        sound = _repaired(directory) if writes else sound_checkpoints(directory, 1)
        self.newest: str | None = sound[-1] if sound else None
        self._manager = tf.train.CheckpointManager(
            tf.train.Checkpoint(**parts),
            str(directory),
            keep,
            checkpoint_name=CHECKPOINT,
        )

    def save(self, step: int) -> str:
        """Writes a checkpoint, and returns its path when it is on the disk.

        Raises:
            InputError: it can't be written; those before are as they were.
        """
        # The manager adds a call of its own, which removes older ones, behind this.
        options = tf.train.CheckpointOptions(experimental_write_callbacks=[_synced])
        try:
            path = self._manager.save(checkpoint_number=step, options=options)
            to_disk(self.directory)
        except (tf.errors.OpError, OSError) as error:
            _remove(self.directory, step)
            why = reason(error)
            raise InputError(
                f"{self.directory}: no checkpoint can be written ({why}); earlier "
                "ones are whole; free disk space and run the same command again"
            ) from error
        self.newest = path
        return path

    def restore(self) -> str | None:
        """Restores the newest whole checkpoint, and returns its path; None: no one.

        Raises:
            InputError: it is of another model.
        """
        if self.newest is None:
            return None
        try:
            there = {x.split("/")[0] for x, _ in tf.train.list_variables(self.newest)}
            self.lacking = set(self.newer) - there
            parts = {k: x for k, x in self.parts.items() if k not in self.lacking}
            tf.train.Checkpoint(**parts).restore(self.newest).assert_consumed()
        except (AssertionError, ValueError, tf.errors.OpError) as error:
            raise InputError(
                f"{self.newest}: this checkpoint does not fit the model "
                f"({reason(error)}); train with the version and the "
                "options that wrote it, or in another --run_dir"
            ) from error
        return self.newest


def sound_checkpoints(directory: Path, most: int | None = None) -> list[str]:
    """The whole checkpoints of a directory, oldest first; warns of damaged ones.

    Args:
        directory: where.
        most: read from the newest on until so many are whole, and take those before for
            whole; None: read all.

    Raises:
        InputError: there are checkpoints, and none of them is whole.
    """
    sound: list[str] = []
    for step in sorted(checkpoint_steps(directory), reverse=True):
        path = _prefix(directory, step)
        if (most is None or len(sound) < most) and (fault := _fault(path)):
            logging.warning("%s: damaged (%s): not used", path, fault)
        else:
            sound.insert(0, path)
    if not sound and (checkpoint_steps(directory) or (directory / _STATE).exists()):
        raise InputError(
            f"{directory}: no checkpoint is whole; restore one from a backup, or start "
            "another --run_dir from this run's best weights with --init_from"
        )
    return sound


def _repaired(directory: Path) -> list[str]:
    """The whole checkpoints, after seeing to it that the state file names these."""
    for leftover in directory.glob(f"{CHECKPOINT}-*_temp"):
        shutil.rmtree(leftover, ignore_errors=True)
    sound = sound_checkpoints(directory, 1)
    if sound and _named(directory) != sound:
        logging.warning(
            "%s: did not name the whole checkpoints: written anew", directory / _STATE
        )
        # The manager never removes those whose time it is not told.
        times = [Path(f"{path}.index").stat().st_mtime for path in sound]
        tf.compat.v1.train.update_checkpoint_state(
            str(directory), sound[-1], sound, all_model_checkpoint_timestamps=times
        )
    return sound


def _prefix(directory: Path, step: int) -> str:
    return str(directory / f"{CHECKPOINT}-{step}")


def _named(directory: Path) -> list[str]:
    """The checkpoints that TensorFlow's file names, by their paths."""
    try:
        state = tf.train.get_checkpoint_state(str(directory))
    except Exception:  # of its parsers, in C++ and in Python
        return []
    return list(state.all_model_checkpoint_paths) if state else []


def _fault(path: str) -> str:
    """What is wrong with a checkpoint; "" if every tensor can be read and is right."""
    try:
        reader = tf.train.load_checkpoint(path)
        for name in reader.get_variable_to_shape_map():
            reader.get_tensor(name)
    except Exception as error:  # the reader's are of many kinds, IndexError too
        return reason(error)
    return ""


def _synced(path: str) -> None:
    """Returns when a checkpoint is on the disk."""
    folder = Path(path).parent
    for file in folder.glob(f"{Path(path).name}.*"):
        to_disk(file)
    to_disk(folder)


def _remove(directory: Path, step: int) -> None:
    """Removes what there is of a checkpoint that could not be written."""
    for path in directory.glob(f"{CHECKPOINT}-{step}[._]*"):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
