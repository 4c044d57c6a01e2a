import gzip

import pytest
import tiny

pytest.importorskip("apache_beam", reason="needs pip install 'neural-gpu-tf[beam]'")

from neural_gpu_tf.data import TextFiles
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.pipelines import PairFilter, Runner, prepare_pairs

PAIRS = [
    [("two five", "six"), ("", "six"), ("two", ""), ("x" * 12, "six")],
    [("six", "two"), ("six", "a e i n o r"), ("\ufeffsix\r", "five two")] * 300,
]
SIDES = ("source", "target")


@pytest.fixture
def corpus(tmp_path):
    for number, pairs in enumerate(PAIRS):
        for side, texts in zip("ab", zip(*pairs, strict=True), strict=True):
            content = "".join(f"{text}\n" for text in texts).encode()
            if number:
                content = gzip.compress(content)
            (tmp_path / f"{number}.{side}{'.gz' * number}").write_bytes(content)
    tiny.vocabulary().save(tmp_path / "vocab.txt")
    return tmp_path


def prepare(corpus, runner, output="out/train", **filters):
    return prepare_pairs(
        [f"{corpus}/*.a*"],
        [f"{corpus}/*.b*"],
        f"{corpus}/{output}",
        f"{corpus}/vocab.txt",
        PairFilter(**filters),
        runner,
    )


def kept(pairs, most, ratio):
    """As training counts symbols."""
    lengths = [
        tiny.tokenizer().tokenize(texts).row_lengths().numpy()
        for texts in zip(*pairs, strict=True)
    ]
    for pair, source, target in zip(pairs, *lengths, strict=True):
        fits = source and target and max(source, target + 1) <= most
        if fits and max(source, target) <= (ratio or 99) * min(source, target):
            yield tuple(text.removesuffix("\r") for text in pair)


@pytest.mark.parametrize("most, ratio", [(60, 0), (9, 0), (7, 0), (60, 1.5)])
def test_shards_that_training_reads(corpus, runner, most, ratio):
    names = prepare(corpus, runner, max_length=most, max_ratio=ratio)
    assert names == [f"{corpus}/out/train-0000{k}-of-00002" for k in range(2)]
    assert len(list((corpus / "out").iterdir())) == 4
    files = tuple(f"{corpus}/out/train-*.{side}.gz" for side in SIDES)
    found = TextFiles({"train": files}).dataset("train").as_numpy_iterator()
    expected = [pair for pairs in PAIRS for pair in kept(pairs, most, ratio)]
    assert [(a.decode(), b.decode()) for a, b in found] == expected
    assert 0 < len(expected) < sum(map(len, PAIRS))


def test_the_same_bytes_again(corpus, runner):
    for name in ("one", "two"):
        prepare(corpus, runner, f"{name}/x")
    for path in (corpus / "one").iterdir():
        assert path.read_bytes() == (corpus / "two" / path.name).read_bytes()
    with pytest.raises(InputError, match="x-00000-of-00002.source.gz: is there"):
        prepare(corpus, runner, "one/x")


def test_what_is_not_aligned(corpus):
    (corpus / "0.a").write_text("two\n" * 3)
    with pytest.raises(InputError, match=r"0.a: line 4 of .*0.b has no partner") as e:
        prepare(corpus, Runner())
    assert "\n" not in str(e.value)
    assert not [path for path in (corpus / "out").iterdir() if "00000" in path.name]
    (corpus / "2.a").write_text("two\n")
    with pytest.raises(InputError, match="3 source files, but 2 target files"):
        prepare(corpus, Runner())


def test_illegal_filters():
    with pytest.raises(InputError, match="max_length=1: must be at least 2"):
        PairFilter(max_length=1)
    with pytest.raises(InputError, match="max_ratio=0.5: must be 0 or at least 1"):
        PairFilter(max_ratio=0.5)
    with pytest.raises(InputError, match="max_ratio=nan: must be 0 or at least 1"):
        PairFilter(max_ratio=float("nan"))


def test_a_pair_of_just_the_ratio_is_kept():
    pairs = PairFilter(max_length=60, max_ratio=1.5)
    assert pairs.keeps(3, 2) and pairs.keeps(2, 3) and not pairs.keeps(4, 2)
