"""neural-gpu-solve: a trained algorithm's answers, checked.

neural-gpu-solve 110101 + 1011         # with the model that comes with the package
neural-gpu-solve 271828 + 3141         # decimal, as a digit is above 1: another model
neural-gpu-solve --pretrained=sort "3 1 2" --trace=memory.png
neural-gpu-solve --run_dir=runs/badd < questions.txt

Prints one answer per line, an empty one for an empty line. Wrong answers are reported
on standard error, and the exit status is 1. Write -- before a question that begins with
a minus: neural-gpu-solve --pretrained=modular-brackets -- "-3".
"""

import contextlib
import functools
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from absl import flags

from neural_gpu_tf.bin import app, run_flags
from neural_gpu_tf.bin import flags as config_flags
from neural_gpu_tf.constants import TIMES
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.pretrained_models import pretrained_for

OPERATORS = ("+", *TIMES)

run_flags.define()
flags.DEFINE_string(
    "trace",
    "",
    "draw the memory over time for the first question: a .png of all steps, or a .gif",
)
flags.DEFINE_list(
    "trace_maps", [], "maps to draw, like 0,5,17; if not given, those that vary most"
)


def _questions(argv: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Those given as arguments, or else the lines of standard input, as they come.

    Yields:
        Where it stands, for messages, and the question.
    """
    from neural_gpu_tf.text import lines

    if any(argument in OPERATORS for argument in argv):
        argv = [" ".join(argv)]  # a question without quotes
    if argv:
        yield from (("", question) for question in argv)
        return
    given = lines.decoded_lines(sys.stdin.buffer, "standard input")
    for number, question in enumerate(given, 1):
        yield f"standard input:{number}: ", question


@contextlib.contextmanager
def _placed(where: str) -> Iterator[None]:
    """Within it, an InputError tells where the question stands."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{where}{error}") from error


def main(argv: Sequence[str]) -> None:
    from neural_gpu_tf.inference import Solver, solve_text
    from neural_gpu_tf.models import cell_bytes
    from neural_gpu_tf.runs import TaskRun, load_task_run

    args, given = flags.FLAGS, run_flags.given()
    if not args.trace:
        config_flags.refuse(["trace_maps"], "nothing is drawn; give --trace too")

    @functools.cache
    def loaded(path: str | Path) -> tuple[TaskRun, Solver]:
        run = load_task_run(path)
        return run, Solver(run.model)

    asked = wrong = 0
    for where, text in _questions(argv):
        if not (question := text.strip()):
            print(flush=True)
            continue
        with _placed(where):
            model = given or pretrained_for(question)
        run, solver = loaded(model)
        asked += 1
        if args.trace and asked == 1:
            from neural_gpu_tf.evaluation import draw_question  # it imports far more

            draw_question(args.trace, run.model, run.task, question, args.trace_maps)
        column_bytes = cell_bytes(run.config.model)
        with _placed(where):
            solution = solve_text(solver, run.task, question, column_bytes)
        print(solution.answer, flush=True)
        if solution.answer != solution.exact:
            wrong += 1
            print(f"wrong: {question} is {solution.exact}", file=sys.stderr)
    if not asked:
        raise InputError("no question; give one, or lines on standard input")
    if wrong:
        sys.exit(1)


def cli() -> None:
    """The console script."""
    app.run(main)


if __name__ == "__main__":
    cli()
