"""Ways in which training ends early."""


class Interrupted(Exception):
    """Training left early, on a signal.

    It has written a checkpoint, whose path is given, or has given an attempt up: "".
    """

    def __init__(self, signal: int, step: int, path: str):
        left = f"checkpoint in {path}" if path else "this attempt is given up"
        super().__init__(
            f"stopped at step {step} by signal {signal}; {left}; give the same command "
            "again to resume"
        )
        self.status = 128 + signal  # of the process


class GivenUp(Exception):
    """Training left early, as a validation found it hopeless."""

    def __init__(self, step: int, summary: dict[str, float], signal: int | None = None):
        super().__init__(f"given up at step {step}")
        self.step = step
        self.summary = summary  # as `Trainer.train` returns it
        self.signal = signal  # that a worker got meanwhile: nothing is to follow


class WorkerLost(Exception):
    """A worker that trains the same model is missing, has gone, or has stopped.

    What was saved is whole. If every worker is started again, training goes on from
    the last checkpoint.
    """

    status = 138  # of the process; Kubeflow starts those anew that end with 128 or more
