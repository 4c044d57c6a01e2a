"""Runs of pipelines on whatever Apache Beam runs on."""

import dataclasses
import re
from collections.abc import Callable, Sequence

import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions

from neural_gpu_tf.errors import InputError

_INPUT_ERROR = re.compile(r"InputError: (.*?) \[while running", re.DOTALL)


@dataclasses.dataclass(frozen=True)
class Runner:
    """Where pipelines run.

    Attributes:
        name: DirectRunner (this machine), FlinkRunner, SparkRunner, DataflowRunner, …
        options: those of Beam and of the runner, e.g. "--flink_master=host:8081".
    """

    name: str = "DirectRunner"
    options: Sequence[str] = ()

    def __call__(self, build: Callable[[beam.Pipeline], object]) -> None:
        """Builds a pipeline, runs it and waits for its end.

        Raises:
            InputError: there is no such runner, or an InputError within the pipeline.
        """
        try:
            options = PipelineOptions([f"--runner={self.name}", *self.options])
            pipeline = beam.Pipeline(options=options)
        except ValueError as error:
            raise InputError(
                f"runner={self.name}: {' '.join(str(error).split())}"
            ) from error
        try:
            build(pipeline)
            pipeline.run().wait_until_finish()
        except Exception as error:  # each runner has its own
            found = _INPUT_ERROR.search(f"{type(error).__name__}: {error}")
            if not found:
                raise
            raise InputError(" ".join(found[1].split())) from error
