"""neural-gpu-serve: answers HTTP requests with an export, as TensorFlow Serving does.

neural-gpu-export --run_dir=RUN --export_dir=RUN/export
neural-gpu-serve --export_dir=RUN/export --port=8501
curl -d '{"instances": ["twenty-one"]}' localhost:8501/v1/models/translate:predict

A page to try it on is at http://localhost:8501/. New versions in the folder are served
as soon as they are loaded and warm; SIGTERM ends the server after the requests that it
has. Needs `pip install neural-gpu-tf[serve]`.
"""

import contextlib
import math
from collections.abc import Sequence

from absl import flags

from neural_gpu_tf.bin import app
from neural_gpu_tf.bin.quiet_tensorflow import use_threads
from neural_gpu_tf.cores import usable_cores
from neural_gpu_tf.errors import InputError

flags.DEFINE_string("export_dir", "", "folder of an export, with versions in it")
flags.DEFINE_integer(
    "port", 8501, "port to listen on", lower_bound=1, upper_bound=65535
)
flags.DEFINE_string("host", "127.0.0.1", "address to listen on; 0.0.0.0: all")
flags.DEFINE_string("model_name", "translate", "the model's name in the URLs")
flags.DEFINE_integer(
    "threads",
    2,
    "predictions at the same time, which share the cores; small models are fastest "
    "with one for each core",
    lower_bound=1,
)
flags.DEFINE_integer(
    "max_waiting", 64, "requests that may wait; 503 beyond", lower_bound=0
)
flags.DEFINE_integer(
    "max_request_bytes", 1_000_000, "bytes of a request; 413 beyond", lower_bound=1
)
flags.DEFINE_integer(
    "max_instances", 256, "texts of a request; 400 beyond", lower_bound=1
)
flags.DEFINE_float(
    "max_seconds",
    30.0,
    "seconds for a request: to send it (408 beyond), with its answer (504 beyond), and "
    "for a connection to begin one",
    lower_bound=0.001,
    upper_bound=86_400.0,
)
flags.DEFINE_integer(
    "max_connections", 1_000, "connections at a time; 503 beyond", lower_bound=1
)
flags.DEFINE_float(
    "poll_seconds", 2.0, "how often to look for a new version", lower_bound=0.1
)
for _name in ("max_seconds", "poll_seconds"):  # bounds let nan pass
    flags.register_validator(_name, math.isfinite, "must be a finite number")


def main(argv: Sequence[str]) -> None:
    app.no_arguments(argv)
    args = flags.FLAGS
    if not args.export_dir:
        raise InputError("--export_dir is empty; name what neural-gpu-export wrote")
    try:
        import uvicorn

        from neural_gpu_tf.serving.connections import bound_socket, timed_connections
        from neural_gpu_tf.serving.server import Server, ServerLimits
    except ImportError as error:
        raise InputError(f"{error}; pip install 'neural-gpu-tf[serve]'") from error
    from neural_gpu_tf.serving.model_versions import ModelVersions

    address = bound_socket(args.host, args.port)  # before time is spent on a model
    use_threads(usable_cores() // args.threads)
    limits = ServerLimits(
        threads=args.threads,
        waiting=args.max_waiting,
        request_bytes=args.max_request_bytes,
        instances=args.max_instances,
        seconds=args.max_seconds,
    )
    versions = ModelVersions(args.export_dir)
    server = Server(versions, args.model_name, limits, args.poll_seconds)
    config = uvicorn.Config(
        server.app(),
        log_level="warning",
        http=timed_connections(args.max_seconds),
        ws="none",
        limit_concurrency=args.max_connections + 1,  # uvicorn refuses the N-th of N
        timeout_graceful_shutdown=math.ceil(args.max_seconds),
    )
    with contextlib.suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[address])


def cli() -> None:
    """The console script."""
    app.run(main)


if __name__ == "__main__":
    cli()
