import socket
import time
import urllib.request

import numpy as np
import pytest
import tensorflow_datasets as tfds

from neural_gpu_tf.data import TfdsPairs
from neural_gpu_tf.errors import InputError

LINES = [("One.", "Un."), ("Two.", "Deux."), ("Three.", "Trois.")]


class _Tiny(tfds.core.GeneratorBasedBuilder):
    VERSION = tfds.core.Version("1.0.0")
    FEATURES = None

    def _info(self):
        return tfds.core.DatasetInfo(builder=self, features=self.FEATURES)

    def _split_generators(self, dl_manager):
        splits = {"train": LINES, "validation": LINES[:1]}
        return {name: self._generate_examples(splits[name]) for name in splits}

    def _generate_examples(self, lines):
        return ((k, self.example(k, *line)) for k, line in enumerate(lines))


class TinyTranslate(_Tiny):
    FEATURES = tfds.features.Translation(languages=("en", "fr"))

    def example(self, k, english, french):
        return {"en": english, "fr": french}


class TinyNested(_Tiny):
    TEXT = tfds.features.Text()
    FEATURES = tfds.features.FeaturesDict(
        {"id": np.int64, "pair": {"en": TEXT, "fr": TEXT}}
    )

    def example(self, k, english, french):
        return {"id": k, "pair": {"en": english, "fr": french}}


class TinyVariable(_Tiny):
    FEATURES = tfds.features.FeaturesDict(
        {
            "talk": tfds.features.Text(),
            "translations": tfds.features.TranslationVariableLanguages(
                languages=("de", "en", "fr")
            ),
        }
    )

    def example(self, k, english, french):
        texts = {"en": english, "fr": french, "de": "Ja."}
        if k == 1:
            del texts["fr"]
        return {"talk": "x", "translations": texts}


class TinyLabels(_Tiny):
    FEATURES = tfds.features.FeaturesDict({"text": tfds.features.Text()})

    def example(self, k, english, french):
        return {"text": english}


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tfds")
    for builder in (TinyTranslate, TinyNested, TinyVariable, TinyLabels):
        builder(data_dir=folder).download_and_prepare()
    return str(folder)


def open_pairs(name, data_dir, source="en", target="fr", **splits):
    return TfdsPairs(
        name,
        source_language=source,
        target_language=target,
        splits=splits or {"train": "train", "validation": "validation"},
        data_dir=data_dir,
    )


def read(pairs, split="train"):
    return [
        (source.decode(), target.decode())
        for source, target in pairs.dataset(split).as_numpy_iterator()
    ]


@pytest.mark.parametrize("name", ["tiny_translate", "tiny_nested"])
def test_the_direction_asked_for(name, data_dir):
    forth = open_pairs(name, data_dir)
    back = open_pairs(name, data_dir, "fr", "en")
    assert sorted(read(forth)) == sorted(LINES)
    assert read(forth) == read(forth)
    assert read(back) == [(target, source) for source, target in read(forth)]
    assert read(forth, "validation") == LINES[:1]
    assert list(back.sentences("validation")) == ["Un.", "One."]


def test_sets_whose_languages_vary(data_dir):
    pairs = open_pairs("tiny_variable", data_dir)
    assert sorted(read(pairs)) == sorted([LINES[0], LINES[2]])
    german = open_pairs("tiny_variable", data_dir, "de", "en")
    assert sorted(read(german)) == sorted(("Ja.", line[0]) for line in LINES)


def test_part_of_a_split(data_dir):
    pairs = open_pairs("tiny_translate", data_dir, train="train[:2]")
    assert len(read(pairs)) == 2


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("tiny_translat", {}, "no such set; did you mean tiny_translate"),
        ("wmt14_translate/xx-en", {}, "tfds_name=wmt14_translate/xx-en: .*not found"),
        ("tiny_translate", {"source": "fr"}, "source_language=fr: is the target_la"),
        ("tiny_translate", {"source": "de"}, "source_language=de: .*one of en, fr"),
        ("tiny_variable", {"target": "es"}, "target_language=es: .*de, en, fr"),
        ("tiny_nested", {"target": "es"}, "no sentences keyed by language, only id"),
        ("tiny_labels", {}, "tfds_name=tiny_labels: no sentences keyed by language"),
        ("tiny_translate", {"train": "dev"}, "train_split=dev: .*train, validation"),
    ],
)
def test_what_the_set_does_not_have(name, options, message, data_dir):
    with pytest.raises(InputError, match=message) as error:
        open_pairs(name, data_dir, **options)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("silent", [False, True])
def test_offline_fails_at_once(tmp_path, monkeypatch, silent):
    """A proxy that refuses, or one that never answers, stands for no network."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        if not silent:
            server.close()
        for name in ("no_proxy", "NO_PROXY", "HTTP_PROXY", "HTTPS_PROXY"):
            monkeypatch.delenv(name, raising=False)
        for name in ("http_proxy", "https_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{port}")
        monkeypatch.setattr(urllib.request, "_opener", None)
        start = time.monotonic()
        with pytest.raises(InputError) as error:
            open_pairs("wmt14_translate/fr-en", str(tmp_path))
        assert urllib.request._opener is None  # others don't get this proxy
        assert time.monotonic() - start < 10
    message = str(error.value)
    assert "wmt14_translate/fr-en: not prepared in" in message
    assert "statmt.org" in message
    assert "tfds build wmt14_translate/fr-en" in message
    assert "\n" not in message
