"""neural-gpu-play: a page on which trained algorithms compute in the browser.

neural-gpu-play --out=play.html
neural-gpu-play --out=play.html --run_dir=runs/badd

Writes one file that needs no server and no other file: the models of algorithms that
come with the package, or those of --run_dir, with the memory drawn step by step as they
compute.
play.html#badd:1011+110 in the address asks at once.
"""

from collections.abc import Sequence

from absl import flags

from neural_gpu_tf.bin import app, run_flags
from neural_gpu_tf.pretrained_models import pretrained_run, pretrained_solvers

run_flags.define()
flags.DEFINE_string("out", "play.html", "the page")


def main(argv: Sequence[str]) -> None:
    from neural_gpu_tf.evaluation.play_page import play_page
    from neural_gpu_tf.files import write_atomically
    from neural_gpu_tf.runs import load_task_run, run_names

    app.no_arguments(argv)
    paths = run_flags.all_given() or [pretrained_run(x) for x in pretrained_solvers()]
    loaded = dict(zip(run_names(paths), map(load_task_run, paths), strict=True))
    page = play_page({name: (run.model, run.task) for name, run in loaded.items()})
    write_atomically(flags.FLAGS.out, page.encode())
    print(f"{flags.FLAGS.out}: open it in a browser")


def cli() -> None:
    """The console script."""
    app.run(main)


if __name__ == "__main__":
    cli()
