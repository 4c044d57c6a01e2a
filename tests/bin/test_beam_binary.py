import pytest


def test_what_is_missing_is_named(run_binary):
    answer = run_binary("beam", "--job=pairs", "--source=x", "--target=y")
    assert answer.status == 2
    assert "--vocab: not set; --job=pairs needs it" in answer.err
    assert answer.err.count("\n") == 1


def test_files_that_a_shell_has_made_of_a_pattern_are_not_left_out(run_binary):
    answer = run_binary("beam", "--job=vocabulary", "--output=x", "--input", "a", "b")
    assert answer.status == 2 and "'b': not a flag; put a pattern in" in answer.err


@pytest.mark.parametrize(
    "flags, name",
    [
        (["--job=vocabulary", "--input=x", "--output=y", "--shards=3"], "shards"),
        (["--job=translate", "--input=x", "--output=y", "--export_dir=z"], "max_ratio"),
        (
            ["--job=pairs", "--source=x", "--target=y", "--vocab=v", "--output=z"],
            "vocab_size",
        ),
    ],
)
def test_flags_of_another_job_are_refused(run_binary, flags, name):
    answer = run_binary("beam", *flags, f"--{name}=9")
    assert answer.status == 2 and answer.err.count("\n") == 1
    job = flags[0].removeprefix("--job=")
    assert f"--{name}: --job={job} does not use it; leave it out" in answer.err


@pytest.fixture
def text(tmp_path):
    pytest.importorskip("apache_beam", reason="pip install 'neural-gpu-tf[beam]'")
    path = tmp_path / "some.text"
    path.write_bytes(b"two five\nsix\n\nfive")
    return path


def test_vocabulary_and_pairs(run_binary, tmp_path, text):
    vocab = f"{tmp_path}/vocab.txt"
    answer = run_binary(
        "beam", "--job=vocabulary", f"--input={text}", f"--output={vocab}"
    )
    assert (answer.status, answer.out) == (0, "")
    expected = f"{tmp_path}/expected.txt"
    assert run_binary("build_vocab", f"--output={expected}", text).status == 0
    assert open(vocab, "rb").read() == open(expected, "rb").read()
    both = f"--source={text}", f"--target={text}"
    pairs = "beam", "--job=pairs", f"--vocab={vocab}", *both
    answer = run_binary(*pairs, f"--output={tmp_path}/pairs", "--max_length=8")
    assert answer.status == 0
    assert len(list(tmp_path.glob("pairs-00000-of-00001.*.gz"))) == 2
    answer = run_binary(*pairs, f"--output={tmp_path}/pairs")
    assert answer.status == 2 and "is there already; choose" in answer.err


@pytest.mark.slow
def test_translations_are_those_of_translate(run_binary, run_dir, tmp_path, text):
    path = f"{tmp_path}/export"
    answer = run_binary("export", f"--run_dir={run_dir}", f"--export_dir={path}")
    exported = answer.out.strip()
    translate = f"--input={text}", f"--export_dir={exported}", "--shards=2"
    options = f"--output={tmp_path}/out", "--", "--direct_runner_bundle_repeat=1"
    answer = run_binary("beam", "--job=translate", *translate, *options)
    assert answer.status == 0
    shards = b"".join(path.read_bytes() for path in sorted(tmp_path.glob("out-*")))
    answer = run_binary(
        "translate", f"--export_dir={exported}", stdin=text.read_bytes()
    )
    assert answer.out.encode() == shards
