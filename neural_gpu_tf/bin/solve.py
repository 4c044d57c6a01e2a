"""neural-gpu-solve: a trained algorithm's answers, checked.

neural-gpu-solve --run_dir=runs/badd "110101 + 1011"
neural-gpu-solve --run_dir=runs/badd < questions.txt

Prints an answer a line. A wrong one is told on standard error, and the exit status
is 1.
"""

import sys
from collections.abc import Sequence

from absl import flags

from neural_gpu_tf.bin import app
from neural_gpu_tf.evaluation import Solver, solve_text
from neural_gpu_tf.training import load_task_run

flags.DEFINE_string("run_dir", None, "run directory of neural-gpu-train --task")
flags.mark_flag_as_required("run_dir")


def main(argv: Sequence[str]) -> None:
    run = load_task_run(flags.FLAGS.run_dir)
    solver = Solver(run.model)
    wrong = 0
    for question in argv or map(str.strip, sys.stdin):
        solution = solve_text(solver, run.task, question)
        print(solution.answer, flush=True)
        if solution.answer != solution.exact:
            wrong += 1
            print(f"wrong: {question} is {solution.exact}", file=sys.stderr)
    if wrong:
        sys.exit(1)


def cli() -> None:
    """The console script."""
    app.run(main)


if __name__ == "__main__":
    cli()
