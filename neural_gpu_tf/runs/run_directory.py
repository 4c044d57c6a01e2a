"""Run directories: everything needed to resume, evaluate or export."""

import dataclasses
import itertools
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from neural_gpu_tf.configuration import check_choice, from_dict
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.files import (
    check_path,
    no_link,
    read_json,
    remove_leftovers,
    write_json,
)
from neural_gpu_tf.options import DecodingConfig
from neural_gpu_tf.options.training import CADENCE
from neural_gpu_tf.own_modules import require_own
from neural_gpu_tf.pretrained_models import run_or_pretrained
from neural_gpu_tf.runs.config import RunConfig
from neural_gpu_tf.runs.config_checks import (
    AFTER_TRAINING,
    AGAINST_DIVERGENCE,
    check_data,
    check_resumes,
    check_start,
    check_whole,
)
from neural_gpu_tf.runs.provenance import provenance
from neural_gpu_tf.runs.run_lock import run_lock
from neural_gpu_tf.text import Vocabulary
from neural_gpu_tf.training.training_files import TrainingFiles
from neural_gpu_tf.weights import check_written


class RunDirectory:
    """The files of a run, by name.

        config.json          the configuration dataclasses
        vocab.txt            the vocabulary
        starts.jsonl         command, package versions and git revision of each start
        checkpoints/         what resuming needs
        best.weights.h5      the weights with the lowest validation perplexity
        last.weights.h5      the weights at the last validation
        best/                the few best validated weights, see `BestWeights`
        decoding.json        decoding options in the place of those of config.json
        size_predictor.keras what neural-gpu-fit-sizes has learned
        events/              TensorBoard
        summary.json         the last validation and the seconds of training
        data.json            SHA-256 of each file of training's data
        diverged.txt         where the loss was no number any more, until it is resumed
        lock                 host and process that train here
        attempt-K/           of an attempt that was given up: all from checkpoints/ on
                             that it had; see `give_up`

    Args:
        path: the directory.
    """

    def __init__(self, path: str | os.PathLike[str]):
        if not os.fspath(path):
            raise InputError("run_dir='': empty; name a directory")
        self.path = Path(path)
        self.config = self.path / "config.json"
        self.vocabulary = self.path / "vocab.txt"
        self.summary = self.path / "summary.json"
        self.starts = self.path / "starts.jsonl"
        self.checkpoints = self.path / "checkpoints"
        self.events = self.path / "events"
        self.best = self.path / "best"
        self.decoding = self.path / "decoding.json"
        self.size_predictor = self.path / "size_predictor.keras"
        self.diverged = self.path / "diverged.txt"
        self.data = self.path / "data.json"
        self.given_up = self.path / "given_up.json"

    def weights(self, which: str) -> Path:
        """The file of the "best" or the "last" weights; else raises InputError."""
        check_choice("which", which, ("best", "last"))
        return self.path / f"{which}.weights.h5"

    @property
    def training_files(self) -> TrainingFiles:
        """Where training writes."""
        return TrainingFiles(
            checkpoints=self.checkpoints,
            events=self.events,
            best=self.best,
            best_weights=self.weights("best"),
            last_weights=self.weights("last"),
            diverged=self.diverged,
        )

    def exists(self) -> bool:
        """Whether a run was started here."""
        return self.config.exists()

    def make(self) -> None:
        """Makes the directory.

        Raises:
            InputError: it can't be made or written to; or see `check_path`.
        """
        check_path(self.path)
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(
                f"run_dir={self.path}: can't make it: {error.strerror}; name another"
            ) from error
        if not os.access(self.path, os.W_OK):
            raise InputError(f"run_dir={self.path}: can't write there; name another")

    def write_config(self, config: RunConfig) -> None:
        """Writes config.json; see `check_config` for a directory that has one."""
        self.make()
        write_json(self.config, dataclasses.asdict(config), indent=2)

    def write_decoding(self, options: Mapping[str, Any]) -> None:
        """Writes decoding.json: options of `DecodingConfig`, beside others there."""
        there = _read_json(self.decoding, "remove it") if self.decoding.exists() else {}
        write_json(self.decoding, {**there, **options}, indent=2)

    def read_decoding(self, config: RunConfig) -> DecodingConfig:
        """The decoding options: those of decoding.json, the others of config.json.

        Raises:
            InputError: it is damaged, or has an unknown key or an illegal value.
        """
        if not self.decoding.exists():
            return config.decoding
        values = _read_json(self.decoding, "remove it")
        where = str(self.decoding)
        from_dict(DecodingConfig, values, where)  # an object of legal keys
        values = {**dataclasses.asdict(config.decoding), **values}
        return from_dict(DecodingConfig, values, where)

    def read_config(self) -> RunConfig:
        """Reads config.json.

        Raises:
            InputError: there is none, it is damaged or has an unknown key, or a module
            of the user's that it needs is not imported.
        """
        if not self.config.exists():
            raise InputError(
                f"{self.path}: not a run directory, it has no config.json; train with "
                "neural-gpu-train --run_dir first"
            )
        values = _read_json(self.config, "restore the file or train anew")
        training = values.get("training") if isinstance(values, dict) else None
        if isinstance(training, dict):
            require_own(str(training.get("imports", "")), str(self.config))
        return from_dict(RunConfig, values, str(self.config))

    def check_config(self, config: RunConfig) -> None:
        """Raises InputError if the run here has another configuration.

        What only sets how long, on how many devices and how often (`CADENCE`) may
        change, and `AFTER_TRAINING`; where it has diverged, `AGAINST_DIVERGENCE` too.
        """
        if_diverged = AGAINST_DIVERGENCE * self.diverged.exists()
        check_resumes(self, config, {*CADENCE, *AFTER_TRAINING, *if_diverged})

    def write_summary(self, summary: Mapping[str, float]) -> None:
        """Writes summary.json."""
        write_json(self.summary, summary)

    def give_up(self, summary: Mapping[str, float]) -> None:
        """Puts this attempt's results aside, under attempt-K/, for a new one.

        Args:
            summary: the last validation and the seconds of training, for its
                summary.json.
        """
        # From here on it is given up, wherever this process ends.
        write_json(self.given_up, summary)
        self.attempts()

    def attempts(self) -> list[dict[str, float]]:
        """The summaries of the attempts given up, after putting the last one aside."""
        done = [_read_json(path, "restore it") for path in self._attempt_summaries()]
        if self.given_up.exists():
            aside = self.path / f"attempt-{len(done)}"
            aside.mkdir(exist_ok=True)
            weights = self.weights("best"), self.weights("last")
            for path in (self.checkpoints, self.best, self.events, *weights):
                if path.exists():
                    path.rename(aside / path.name)
            self.summary.unlink(missing_ok=True)  # of fewer --train_steps
            self.given_up.rename(aside / self.summary.name)
            done.append(_read_json(aside / self.summary.name, "restore it"))
        return done

    def _attempt_summaries(self) -> Iterator[Path]:
        for k in itertools.count():
            path = self.path / f"attempt-{k}" / self.summary.name
            if not path.exists():
                return
            yield path

    def read_vocabulary(self, config: RunConfig) -> Vocabulary:
        """Reads vocab.txt.

        Raises:
            InputError: it is missing, or not the one that the model was trained with.
        """
        vocabulary = Vocabulary.load(self.vocabulary)
        if vocabulary.fingerprint() != config.vocabulary_fingerprint:
            raise InputError(
                f"{self.vocabulary}: not the vocabulary that the model was "
                f"trained with ({len(vocabulary)} symbols here, "
                f"{config.vocabulary_size} there, or different ones); restore the "
                "run's own vocab.txt"
            )
        return vocabulary

    def begin(
        self,
        config: RunConfig,
        command: Sequence[str],
        vocabulary: Vocabulary | None = None,
        data: Mapping[str, str] | None = None,
    ) -> None:
        """Starts a run here, or resumes the one that is here; holds the directory.

        Args:
            config: the options.
            command: what to write down as the start's command.
            vocabulary: to keep here, if there is one.
            data: fingerprints of the training data, by name.

        Raises:
            InputError: there is a run of another configuration or of other data, or one
            without its config.json or its checkpoints; another process trains here; or
            it can't be written to.
        """
        check_whole(self)
        if self.exists():
            self.check_config(config)
        elif config.training.init_from:
            first = RunDirectory(run_or_pretrained(config.training.init_from))
            check_start(first.read_config(), config)
            check_written(first.weights("best"))
        self.make()
        self._lock = run_lock(self.path / "lock")  # as long as this object lives
        for directory in (self.path, self.best):
            remove_leftovers(directory)
        self._check_data(data or {})
        if vocabulary:
            vocabulary.save(self.vocabulary)
        self.write_config(config)  # from now on a run exists here
        self.diverged.unlink(missing_ok=True)
        self.note_start(command)

    def check_own_data(self, fingerprints: Mapping[str, str]) -> None:
        """Checks that the files that config.json names are those that training read.

        So a run from an untrusted source can't make other files be read.

        Raises:
            InputError: one is not.
        """
        known = _read_json(self.data, "remove it") if self.data.exists() else {}
        for name, fingerprint in fingerprints.items():
            if known.get(name) != fingerprint:
                raise InputError(
                    f"{name}: not known to be the file that {self.path} was validated "
                    "on; name the files: --source and --target"
                )

    def _check_data(self, fingerprints: Mapping[str, str]) -> None:
        """Raises InputError if the run here began with other data; keeps them else."""
        if self.data.exists():
            before = _read_json(self.data, "remove it if you know the data to be those")
            check_data(before, fingerprints, self.path)
        if fingerprints:
            write_json(self.data, dict(fingerprints), indent=2)

    def note_start(self, command: Sequence[str]) -> None:
        """Adds a line to starts.jsonl; raises InputError if it can't be written."""
        try:
            with open(self.starts, "a", encoding="utf-8", opener=no_link) as file:
                file.write(json.dumps(provenance(command)) + "\n")
        except OSError as error:
            raise InputError(
                f"{self.starts}: can't be written ({error.strerror}); make room"
            ) from error


def _read_json(path: Path, remedy: str) -> Any:
    """What a file of JSON holds; raises InputError if it is none."""
    try:
        return read_json(path)
    except ValueError as error:
        raise InputError(f"{path}: not JSON ({error}); {remedy}") from error
