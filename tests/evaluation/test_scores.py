import pytest
import sacrebleu

from neural_gpu_tf.evaluation import scores

REFERENCES = [
    "deux jeunes hommes sont dehors près d'un buisson.",
    "un chat dort  sur la table.",
    "trois",
]


def test_perfect_but_for_white_space():
    translations = [" ".join(reference.split()) for reference in REFERENCES]
    result = scores(translations, REFERENCES)
    assert result["exact_match"] == 1
    assert result["bleu"] == pytest.approx(100)
    assert result["chrf"] == pytest.approx(100)


def test_equals_sacrebleu():
    translations = ["deux hommes sont près d'un buisson.", "un chat dort.", "trois"]
    result = scores(translations, REFERENCES)
    bleu = sacrebleu.corpus_bleu(translations, [REFERENCES])
    chrf = sacrebleu.corpus_chrf(translations, [REFERENCES])
    assert result["bleu"] == pytest.approx(bleu.score)
    assert result["chrf"] == pytest.approx(chrf.score)
    assert 10 < result["bleu"] < 90 and 10 < result["chrf"] < 90
    assert result["exact_match"] == pytest.approx(1 / 3)


def test_signatures_say_how_it_was_computed():
    result = scores(["un"], ["un"])
    for name, part in (("bleu", "tok:13a"), ("chrf", "nc:6")):
        signature = result[f"{name}_signature"].split("|")
        assert part in signature
        assert f"version:{sacrebleu.__version__}" in signature


def test_every_translation_needs_its_reference():
    with pytest.raises(ValueError):
        scores(["un", "deux"], ["un"])
