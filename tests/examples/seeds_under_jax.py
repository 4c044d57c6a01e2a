"""Run by test_train_seeds.py with KERAS_BACKEND=jax: trains two seeds, asks them.

python seeds_under_jax.py EXAMPLES OPTIONS.json RUNS
"""

import json
import sys
from pathlib import Path

sys.modules["tensorflow"] = None  # as where it is not installed
sys.path.insert(0, sys.argv[1])


def rows_of_size_0_add_nothing(copies):
    """To a copy's losses, that of its layers among them."""
    import numpy as np

    first = [[x[0] for x in values] for values in (copies.weights, copies.seeds)]
    rows = np.random.default_rng(0).integers(3, 6, (4, 7))
    batch = {"source": rows, "target": rows, "size": np.array([7, 5, 6, 3])}
    padded = {name: np.pad(x, [(0, 12), (0, 0)][: x.ndim]) for name, x in batch.items()}
    (one, (_, alone)), (other, (_, beside)) = (
        copies._loss(*first, 1.0, given) for given in (batch, padded)
    )
    assert alone["auxiliary"] > 0
    for name in alone:
        np.testing.assert_allclose(beside[name], alone[name], rtol=1e-4, err_msg=name)
    np.testing.assert_allclose(other, one, rtol=1e-4)


def main():
    import evaluate_seeds_with_jax
    import train_seeds_with_jax as example

    from neural_gpu_tf.errors import InputError
    from neural_gpu_tf.options import CurriculumConfig, ModelConfig, TrainingConfig

    task, model, training = json.loads(Path(sys.argv[2]).read_text("utf-8"))
    runs = Path(sys.argv[3])

    def seeds(these=(3, 4), **more):
        return example.Seeds(
            CurriculumConfig(**task),
            ModelConfig(**model),
            TrainingConfig(**training | more),
            these,
            runs,
            processes=1,
        )

    # Stopped at no multiple of --validate_every, which then has more steps to go.
    part = seeds(train_steps=training["validate_every"] + 5)
    part.train()
    try:
        seeds([3, 5])
    except InputError as error:
        assert "of seeds [3, 4], not [3, 5]; give them again" in str(error), error
        assert not (runs / "5").exists()
    else:
        raise AssertionError("other seeds went on")
    whole = seeds()  # goes on where that was stopped
    assert whole.step == part.step == training["validate_every"] + 5
    whole.train()
    assert whole.step == training["train_steps"]
    rows_of_size_0_add_nothing(whole.copies)
    assert [course.taken for course in whole.pool.courses] == [whole.step] * 2
    copies = evaluate_seeds_with_jax.TrainedCopies([f"{runs}/3", f"{runs}/4"])
    try:
        evaluate_seeds_with_jax.TrainedCopies([f"{runs}/3", "rev"])
    except InputError as error:
        assert "rev: another task or model than that of" in str(error), error
    else:
        raise AssertionError("another model was asked too")
    config = json.loads((runs / "4" / "config.json").read_text("utf-8"))
    dropped = {**config, "model": config["model"] | {"dropout": 0.5}}
    other = {**config, "model": config["model"] | {"gate_cutoff": 1.5}}
    for values, refused in ((dropped, False), (other, True), (config, False)):
        (runs / "4" / "config.json").write_text(json.dumps(values), "utf-8")
        try:
            evaluate_seeds_with_jax.TrainedCopies([f"{runs}/3", f"{runs}/4"])
        except InputError:
            assert refused
        else:
            assert not refused
    found = evaluate_seeds_with_jax.scores(copies, 2, 40, False, 0)
    print(json.dumps(found))
    assert sys.modules["tensorflow"] is None


if __name__ == "__main__":  # it starts processes of its own
    main()
