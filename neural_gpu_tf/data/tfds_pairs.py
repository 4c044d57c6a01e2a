"""Sentence pairs of a TensorFlow Datasets translation set."""

import difflib
import queue
import threading
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

import tensorflow as tf
from absl import logging

from neural_gpu_tf.configuration import check_choice
from neural_gpu_tf.errors import InputError, one_line

_PATIENCE = 3.0  # seconds; TFDS itself retries for 205 s before it gives up


class TfdsPairs:
    """A translation set of TFDS, by name, in the direction asked for.

    TFDS keys a pair by language, so `wmt14_translate/fr-en` gives English to French
    as well as French to English. Sets with a `Translation` feature (wmt*, opus,
    para_crawl, flores, ted_hrlr_translate), or a plain feature for each language, at
    the top or one level down, are read; and `TranslationVariableLanguages`
    (ted_multi_translate), of which examples without one of the languages are no
    pairs. A set that is not prepared yet is downloaded, unless none of the hosts
    that it comes from answers within 3 s.

    Args:
        name: set and configuration, e.g. "wmt14_translate/fr-en".
        source_language: key of the language to translate from.
        target_language: key of the language to translate into.
        splits: split name ("train", "validation") to TFDS's split, e.g.
            {"train": "train[:10%]"}.
        data_dir: folder of the prepared sets; empty for TFDS's default
            (TFDS_DATA_DIR or ~/tensorflow_datasets).

    Raises:
        InputError: unknown set, language or split; no TFDS; no network; a download
            that failed.
    """

    def __init__(
        self,
        name: str,
        *,
        source_language: str,
        target_language: str,
        splits: Mapping[str, str],
        data_dir: str = "",
    ) -> None:
        self.name = name
        self.source_language = source_language
        self.target_language = target_language
        self.splits = dict(splits)
        self._builder = _open_builder(name, data_dir)
        if source_language == target_language:
            raise InputError(
                f"source_language={source_language}: is the target_language too; give "
                "another one"
            )
        self._key, self._variable = self._find_languages()
        if not _is_prepared(self._builder):
            _prepare(self._builder, name)
        for flag, split in self.splits.items():
            _check_split(self._builder.info.splits, name, f"{flag}_split", split)

    def dataset(self, split: str) -> tf.data.Dataset:
        """(source, target), string scalars, always in the same order."""
        import tensorflow_datasets as tfds

        check_choice("split", split, tuple(self.splits))
        examples = self._builder.as_dataset(
            split=self.splits[split],
            shuffle_files=False,
            read_config=tfds.ReadConfig(try_autocache=False),
        )
        languages = (self.source_language, self.target_language)

        def texts(example: Any) -> Any:
            return example if self._key is None else example[self._key]

        def has_both(example: Any) -> tf.Tensor:
            given = texts(example)["language"]
            return tf.reduce_all(
                [tf.reduce_any(given == language) for language in languages]
            )

        def chosen(example: Any) -> tuple[tf.Tensor, ...]:
            given, sentences = texts(example)["language"], texts(example)["translation"]
            return tuple(
                tf.boolean_mask(sentences, given == language)[0]
                for language in languages
            )

        if self._variable:
            return examples.filter(has_both).map(chosen)
        return examples.map(
            lambda example: tuple(texts(example)[language] for language in languages)
        )

    def fingerprints(self) -> dict[str, str]:
        """The set's name and version, to be the same when a run resumes."""
        return {self.name: str(self._builder.info.full_name)}

    def describe(self, split: str) -> str:
        """Which pairs a split has, for the log."""
        return f"split {self.splits[split]} of {self.name} (TensorFlow Datasets)"

    def sentences(self, split: str) -> Iterator[str]:
        """Every sentence, source and target in turn."""
        for pair in self.dataset(split).as_numpy_iterator():
            for text in pair:
                yield text.decode("utf-8", errors="replace")

    def _find_languages(self) -> tuple[str | None, bool]:
        """Where an example holds its languages.

        Returns:
            the key of the feature that holds them (None: the example itself), and
            whether its languages vary from example to example.
        """
        import tensorflow_datasets as tfds

        features = self._builder.info.features
        nested = dict(features) if hasattr(features, "items") else {}
        for key, feature in ((None, features), *nested.items()):
            variable = isinstance(feature, tfds.features.TranslationVariableLanguages)
            if variable or isinstance(feature, tfds.features.Translation):
                self._check_languages(feature.languages)
                return key, variable
        asked = {self.source_language, self.target_language}
        for key, feature in ((None, nested), *nested.items()):
            if hasattr(feature, "items") and asked <= set(dict(feature)):
                return key, False
        raise InputError(
            f"tfds_name={self.name}: no sentences keyed by language, only "
            f"{', '.join(nested) or type(features).__name__}; choose a translation set"
        )

    def _check_languages(self, languages: Iterable[str] | None) -> None:
        """Raises InputError if the set is known not to have one of the languages."""
        for flag in ("source_language", "target_language"):
            language = getattr(self, flag)
            if languages and language not in languages:
                raise InputError(
                    f"--{flag}={language}: {self.name} hasn't got it; choose one of "
                    f"{', '.join(sorted(languages))}"
                )


def has_own_code(name: str) -> bool:
    """Whether a set's code is TFDS's, or imported by this program.

    Of other sets TFDS imports the modules that their files of features name.
    """
    try:
        import tensorflow_datasets as tfds
    except ImportError:
        return True  # `TfdsPairs` tells it
    base, _, config = name.partition("/")
    if ":" in name:  # of a namespace: others' code
        return False
    try:
        builder = tfds.builder_cls(base)
    except Exception:  # no such set, or no name of one
        return False
    return not config or config in builder.builder_configs


def _open_builder(name: str, data_dir: str) -> Any:
    """The set's builder: its description, whether or not its data are there."""
    try:
        import tensorflow_datasets as tfds
    except ImportError as error:
        raise InputError(
            f"--data=tfds: {error}; install it: pip install tensorflow-datasets"
        ) from error
    try:
        return tfds.builder(name, data_dir=data_dir or None)
    except tfds.core.DatasetNotFoundError as error:
        base = name.split("/")[0].split(":")[0]
        near = difflib.get_close_matches(base, tfds.list_builders(), n=3)
        hint = f"did you mean {' or '.join(near)}?" if near else "check the name"
        raise InputError(f"tfds_name={name}: TFDS has no such set; {hint}") from error
    except Exception as error:  # a builder's own code may raise anything
        raise InputError(f"tfds_name={name}: {one_line(error)}") from error


def _is_prepared(builder: Any) -> bool:
    """Whether its data are there; TFDS would warn of each folder that isn't."""
    verbosity = logging.get_verbosity()
    logging.set_verbosity(logging.ERROR)
    try:
        return builder.is_prepared()
    finally:
        logging.set_verbosity(verbosity)


def _prepare(builder: Any, name: str) -> None:
    """Downloads and prepares a set, or says at once that there's no network."""
    folder = builder.data_path
    remedy = f"run `tfds build {name}` where there is a network and copy it there"
    urls = list(builder.url_infos or ()) or ["https://www.tensorflow.org/"]
    if not _any_answers(urls):
        hosts = sorted({urlsplit(url).netloc for url in urls})
        raise InputError(
            f"tfds_name={name}: not prepared in {folder}, and no answer from "
            f"{', '.join(hosts)} within {_PATIENCE:g} s; {remedy}"
        )
    try:
        builder.download_and_prepare()
    except Exception as error:  # sockets, checksums, parsers of the set's own
        raise InputError(
            f"tfds_name={name}: can't prepare it in {folder}: {one_line(error)}; "
            f"{remedy}"
        ) from error


def _any_answers(urls: Iterable[str]) -> bool:
    """Whether one of the URLs' hosts, directly or by a proxy, answers within 3 s."""
    roots = {"://".join(urlsplit(url)[:2]) for url in urls}
    answers: queue.Queue[bool] = queue.Queue()

    def probe(root: str) -> None:
        try:
            request = urllib.request.Request(f"{root}/", method="HEAD")
            # Of its own: urlopen would keep today's proxies for the whole process.
            opener = urllib.request.build_opener()
            opener.open(request, timeout=_PATIENCE).close()
            answers.put(True)
        except urllib.error.HTTPError as error:
            answers.put(error.code < 500)  # 5xx: also a proxy without a network
        except Exception:  # whatever it was, this host gave no answer
            answers.put(False)

    # Looking up a name has no time limit, so it happens in threads left behind.
    for root in roots:
        threading.Thread(target=probe, args=(root,), daemon=True).start()
    try:
        return any(answers.get(timeout=_PATIENCE + 0.5) for _ in roots)
    except queue.Empty:
        return False


def _check_split(splits: Any, name: str, flag: str, split: str) -> None:
    """Raises InputError unless `split` is one of the set's, or a part of one."""
    try:
        splits[split]
    except Exception as error:  # KeyError, ValueError, AssertionError: TFDS's parser
        raise InputError(
            f"--{flag}={split}: {name} hasn't got it; choose (a part of) one of "
            f"{', '.join(sorted(splits))}"
        ) from error
