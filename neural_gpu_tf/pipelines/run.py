"""Runs of pipelines on whatever Apache Beam runs on."""

import dataclasses
import re
from collections.abc import Callable, Sequence

import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions

from neural_gpu_tf.errors import InputError, one_line

_INPUT_ERROR = re.compile(r"InputError: (.*?) \[while running", re.DOTALL)


@dataclasses.dataclass(frozen=True)
class Runner:
    """Where pipelines run.

    Beam's own DirectRunner fetches a program from the network, Prism, and starts it;
    the one here runs in this process, or with --direct_running_mode in others of this
    machine.

    Attributes:
        name: DirectRunner, FlinkRunner, SparkRunner, DataflowRunner, PrismRunner, …
        options: those of Beam and of the runner, e.g. "--flink_master=host:8081".
    """

    name: str = "DirectRunner"
    options: Sequence[str] = ()

    def __call__(self, build: Callable[[beam.Pipeline], object]) -> dict[str, int]:
        """Builds a pipeline, runs it and waits for its end.

        Returns:
            What its counters have counted, by their names; {} if the runner tells none.

        Raises:
            InputError: there is no such runner, or an InputError within the pipeline.
        """
        try:
            name = "FnApiRunner" if self.name == "DirectRunner" else self.name
            options = PipelineOptions([f"--runner={name}", *self.options])
            pipeline = beam.Pipeline(options=options)
        except ValueError as error:
            raise InputError(f"runner={self.name}: {one_line(error)}") from error
        try:
            build(pipeline)
            result = pipeline.run()
            result.wait_until_finish()
        except Exception as error:  # each runner has its own
            found = _INPUT_ERROR.search(f"{type(error).__name__}: {error}")
            if not found:
                raise
            raise InputError(" ".join(found[1].split())) from error
        try:
            counters = result.metrics().query()["counters"]
        except (NotImplementedError, AttributeError):
            return {}
        return {x.key.metric.name: x.committed or x.attempted for x in counters}
