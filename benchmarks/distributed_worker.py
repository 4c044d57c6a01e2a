"""One of several processes that train together, on a core of its own, timed.

Reads a JSON object from its argument: options of `benchmarks.train_step` and "core";
the others are those of TF_CONFIG. Answers as `benchmarks.worker` does, and adds the
processor's seconds of each step ("cpu").
"""

import json
import os
import sys
import time


def main() -> None:
    options = json.loads(sys.argv[1])
    # Before TensorFlow counts them.
    os.sched_setaffinity(0, {options["core"]})
    from benchmarks.worker import step_on
    from neural_gpu_tf.options import TrainingConfig
    from neural_gpu_tf.training.distribution import distribution
    from neural_gpu_tf.training.strategy import use_cores

    use_cores(1)
    kind = "multi_worker" if "TF_CONFIG" in os.environ else "mirrored"
    begin = time.monotonic()
    with distribution(TrainingConfig(distribution=kind)) as (strategy, workers):
        step = step_on(strategy, options, 1)
        step()
        print(json.dumps({"first": time.monotonic() - begin}), flush=True)
        for line in sys.stdin:
            seconds, cpu = [], []
            for _ in range(int(line)):
                start = time.monotonic(), time.process_time()
                step()
                workers.exchange((None, False))  # as in training
                seconds.append(time.monotonic() - start[0])
                cpu.append(time.process_time() - start[1])
            print(json.dumps({"seconds": seconds, "cpu": cpu}), flush=True)


if __name__ == "__main__":
    main()
