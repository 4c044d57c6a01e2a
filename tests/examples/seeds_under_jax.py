"""Run by test_train_seeds.py with KERAS_BACKEND=jax: trains two seeds, asks them.

python seeds_under_jax.py EXAMPLES OPTIONS.json RUNS
"""

import json
import sys
from pathlib import Path

sys.modules["tensorflow"] = None  # as where it is not installed
sys.path.insert(0, sys.argv[1])


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

    half = seeds(train_steps=training["train_steps"] // 2)
    half.train()
    try:
        seeds([3])
    except InputError as error:
        assert "of seeds [3, 4], not [3]; give them again" in str(error), error
    else:
        raise AssertionError("other seeds went on")
    whole = seeds()  # goes on where that was stopped
    assert whole.step == half.step == training["train_steps"] // 2
    whole.train()
    assert [course.taken for course in whole.pool.courses] == [whole.step] * 2
    copies = evaluate_seeds_with_jax.TrainedCopies([f"{runs}/3", f"{runs}/4"])
    try:
        evaluate_seeds_with_jax.TrainedCopies([f"{runs}/3", "rev"])
    except InputError as error:
        assert "rev: another task or model than that of" in str(error), error
    else:
        raise AssertionError("another model was asked too")
    found = evaluate_seeds_with_jax.scores(copies, 2, 40, False, 0)
    print(json.dumps(found))
    assert sys.modules["tensorflow"] is None


if __name__ == "__main__":  # it starts processes of its own
    main()
