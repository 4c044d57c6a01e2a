import io

import pytest
import tensorflow as tf
import tiny

pytest.importorskip("apache_beam", reason="needs pip install 'neural-gpu-tf[beam]'")

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.inference import translate_stream
from neural_gpu_tf.pipelines import Runner, translate_files, translation
from neural_gpu_tf.pipelines.files import Part
from neural_gpu_tf.serving import export, load_exported

TEXTS = {
    "a": b"two five\n\nsix\r\nDanger! \xff",
    "b": b"".join(b"%d\n" % i for i in range(50)),
}
PROCESSES = ["--direct_running_mode=multi_processing", "--direct_num_workers=2"]


class Loud:
    """Writes a text in capitals."""

    def translate(self, text):
        text = tf.strings.unicode_transcode(text, "UTF-8", "UTF-8")
        zeros = tf.zeros(tf.shape(text))
        return {
            "text": tf.strings.upper(text),
            "log_probability": zeros,
            "size": tf.cast(zeros, tf.int32),
        }

    def too_long(self, text):
        return tf.strings.length(text) > 99


@pytest.fixture
def loud(monkeypatch):
    monkeypatch.setattr(translation, "load_exported", lambda name: Loud())
    return Loud()


@pytest.fixture
def files(tmp_path):
    for name, content in TEXTS.items():
        (tmp_path / f"x.{name}").write_bytes(content)
    return tmp_path


def expected(translator, folder):
    """What neural-gpu-translate writes for one file after the other."""
    target = io.BytesIO()
    for path in sorted(folder.glob("x.*")):
        with path.open("rb") as source:
            translate_stream(translator, source, target)
    return target.getvalue()


@pytest.mark.parametrize("shards", [None, 1, 3, 7])
def test_shards_one_after_the_other_are_the_whole(files, loud, runner, shards):
    names = translate_files([f"{files}/x.*"], f"{files}/out/y", "", runner, shards)
    count = shards or 2
    assert names == [f"{files}/out/y-{k:05d}-of-{count:05d}" for k in range(count)]
    assert sorted(str(path) for path in (files / "out").iterdir()) == names
    contents = [open(name, "rb").read() for name in names]
    assert b"".join(contents) == expected(loud, files)
    assert all(contents)


def test_more_shards_than_lines(tmp_path, loud, runner):
    (tmp_path / "x.a").write_bytes(b"one\ntwo\n")
    names = translate_files([f"{tmp_path}/x.a"], f"{tmp_path}/y", "", runner, 9)
    contents = [open(name, "rb").read() for name in names]
    assert len(names) == 9 and b"".join(contents) == b"ONE\nTWO\n"


def test_shards_that_are_there_stay(files, loud, runner):
    (files / "y-00001-of-00002").write_bytes(b"mine")
    with pytest.raises(InputError, match="y-00001-of-00002: is there already"):
        translate_files([f"{files}/x.*"], f"{files}/y", "", runner)
    assert not (files / "y-00000-of-00002").exists()


def test_a_translator_that_fails_leaves_no_part_of_a_shard(files, loud, monkeypatch):
    def fail(text):
        raise ZeroDivisionError("the translator")

    monkeypatch.setattr(Loud, "translate", lambda self, text: fail(text))
    with pytest.raises(Exception, match="the translator"):
        translate_files([f"{files}/x.*"], f"{files}/out/y", "", Runner())
    assert list((files / "out").iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("options", [[], PROCESSES])
def test_of_an_export(files, tmp_path, options):
    exported = export(tiny.translator(), tmp_path / "export")
    names = translate_files(
        [f"{files}/x.*"], f"{files}/out/y", str(exported), Runner(options=options), 3
    )
    contents = b"".join(open(name, "rb").read() for name in names)
    assert contents == expected(load_exported(exported), files)


def test_a_byte_order_mark_is_one_at_the_start_of_a_file_only(tmp_path, monkeypatch):
    text = "six\n\ufefffive\n".encode()
    (tmp_path / "text").write_bytes(text)
    parts = [Part(str(tmp_path / "text"), *span) for span in ((0, 4), (4, len(text)))]
    seen = []
    monkeypatch.setattr(
        translation,
        "translate_stream",
        lambda *arguments, at_start, **others: seen.append(at_start),
    )
    work = translation._Translate("export")
    work._translator = None
    work.process(translation._Shard(str(tmp_path / "out"), parts))
    assert seen == [True, False]
