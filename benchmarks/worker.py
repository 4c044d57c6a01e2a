"""One contender, in a process of its own: builds, then times steps when asked.

Reads a JSON object from its argument; answers one JSON line when it is ready and one
for each number of steps that it reads; at the end of its input, one with its memory.
"""

import itertools
import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

from benchmarks.peak_memory import peak_memory

MODEL_OPTIONS = (
    "model",
    "maps",
    "width",
    "layers",
    "gradient_checkpointing",
    "dropout",
)
RECURRENT = ("attention_seq2seq", "fixed_memory_seq2seq", "rnn_seq2seq")


def model_options(options: dict) -> dict:
    """Those of `ModelConfig`; a recurrent model has m units, embeddings of as many."""
    names, sizes = MODEL_OPTIONS, {}
    if options["model"] in RECURRENT:
        names = ("model", "layers", "dropout", "bidirectional")
        sizes = dict.fromkeys(("units", "embedding_size"), options["maps"])
    return {name: options[name] for name in names} | sizes


def package_step(options: dict) -> Callable[[], float]:
    """The package's own training step, as `neural-gpu-train` makes it."""
    from neural_gpu_tf.bin.quiet_tensorflow import import_tensorflow

    import_tensorflow()
    from neural_gpu_tf.training.strategy import (
        batch_parts,
        mirrored_strategy,
        use_cores,
    )

    replicas = options["replicas"]
    parts = batch_parts(options["parts"], replicas)
    use_cores(parts * replicas)
    import tensorflow as tf

    tf.config.set_logical_device_configuration(
        tf.config.list_physical_devices("CPU")[0],
        replicas * [tf.config.LogicalDeviceConfiguration()],
    )
    return step_on(mirrored_strategy(replicas), options, parts)


def step_on(strategy: Any, options: dict, parts: int) -> Callable[[], float]:
    """A training step on the replicas of a strategy, which share each batch."""
    import numpy as np

    from benchmarks.train_step import step_lengths
    from neural_gpu_tf.optimizers import build_optimizer
    from neural_gpu_tf.options import ModelConfig, TrainingConfig
    from neural_gpu_tf.training.new_model import new_model
    from neural_gpu_tf.training.shares import shared_out
    from neural_gpu_tf.training.train_step import TrainStep

    training = TrainingConfig(optimizer="adam")
    config = ModelConfig(**model_options(options))
    model = new_model(config, options["vocab"], 0, strategy)
    with strategy.scope():
        optimizer = build_optimizer(training)
        optimizer.build(model.trainable_variables)
    lengths = step_lengths(options)
    step = TrainStep(
        model,
        optimizer,
        training,
        strategy,
        blanks_count=True,
        buckets=len(lengths),
        parts=parts,
    )
    random = np.random.default_rng(0)

    def batch(length: int) -> Any:
        shape = (2, options["batch"], length)
        source, target = random.integers(3, options["vocab"], shape).astype(np.int32)
        size = np.full(options["batch"], length, np.int32)
        return shared_out(strategy, {"source": source, "target": target, "size": size})

    batches = tuple(batch(length) for length in lengths)
    given = batches if len(batches) > 1 else batches[0]
    return lambda: float(step(given).loss)


def naive_step(options: dict) -> Callable[[], float]:
    """The textbook TensorFlow of `benchmarks.naive`, all cores on every operation."""
    import keras
    import numpy as np
    import tensorflow as tf

    from benchmarks.naive import Naive
    from neural_gpu_tf.models import build_model
    from neural_gpu_tf.options import ModelConfig

    config = ModelConfig(**model_options(options))
    naive = Naive(build_model(config, options["vocab"]))
    optimizer = keras.optimizers.Adam(1e-3, epsilon=1e-4, global_clipnorm=1.0)
    variables = [keras.Variable(v) for v in naive.variables]
    optimizer.build(variables)

    @tf.function
    def step(source: tf.Tensor, target: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            loss = naive.loss(source, target)
        gradients = tape.gradient(loss, naive.variables)
        optimizer.apply(
            [tf.convert_to_tensor(g) for g in gradients], variables
        )  # its own copies: the arithmetic is the same
        return loss

    shape = (2, options["batch"], options["length"])
    symbols = np.random.default_rng(0).integers(3, options["vocab"], shape)
    source, target = (tf.constant(x, tf.int32) for x in symbols)
    return lambda: float(step(source, target))


def torch_step(options: dict) -> Callable[[], float]:
    """The textbook PyTorch of `benchmarks.textbook_torch…`, eager."""
    import torch

    from benchmarks.textbook_torch import NeuralGPU
    from benchmarks.textbook_torch_recurrent import Seq2Seq

    torch.manual_seed(0)
    if options["cores"]:
        torch.set_num_threads(options["cores"])
    name, layers = options["model"], options["layers"]
    sizes = options["vocab"], options["maps"]
    if name in RECURRENT:
        model = Seq2Seq(name, *sizes, layers, options["bidirectional"])
    else:
        extended = name == "extended_neural_gpu"
        model = NeuralGPU(*sizes, options["width"], layers, extended)
    optimizer = torch.optim.Adam(model.parameters(), 1e-3, eps=1e-4)
    shape = (options["batch"], options["length"])
    source, target = (torch.randint(3, options["vocab"], shape) for _ in range(2))

    def step() -> float:
        optimizer.zero_grad()
        loss = model.loss(source, target)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return loss.item()

    return step


def ceiling_step(options: dict) -> Callable[[], float]:
    """Matrix products of 1,024 x 1,024, float32: 2 · 1,024³ FLOPs each, 8 a step."""
    import tensorflow as tf

    a = tf.random.normal((1024, 1024))

    @tf.function
    def step() -> tf.Tensor:
        product = a
        for _ in range(8):
            product = tf.matmul(a, product) * 0.03
        return product[0, 0]

    return lambda: float(step())


def convolutions_step(options: dict) -> Callable[[], float]:
    """The convolutions of one CGRU's training step and nothing else.

    For each of n steps the two forward, m maps to 2 m and m to m, and the two of the
    canvas's gradient; once, over all steps, the kernels' gradients: the package's own
    operations, on its shapes, in as many parts side by side. It bounds what a step that
    calls TensorFlow's convolutions can reach.
    """
    from neural_gpu_tf.training.strategy import batch_parts, use_cores

    parts = batch_parts(options["parts"], options["replicas"])
    use_cores(parts)
    import tensorflow as tf

    from neural_gpu_tf.layers.canvas import transposed_kernel
    from neural_gpu_tf.layers.convolutions import convolve, kernel_gradient

    n, m, width = options["length"], options["maps"], options["width"]
    kernel = (min(3, 2 * width - 1), 3, m)
    gates = 0.03 * tf.random.normal((*kernel, 2 * m))
    candidate = 0.03 * tf.random.normal((*kernel, m))
    d_gates, d_candidate = transposed_kernel(gates), transposed_kernel(candidate)

    def records(rows: int) -> tuple[tf.Tensor, tf.Tensor]:
        """m and 2 m maps of all steps of so many examples."""
        cells = (n * rows, width, n)
        return tf.random.normal((*cells, m)), tf.random.normal((*cells, 2 * m))

    ends = [i * options["batch"] // parts for i in range(parts + 1)]
    by_part = [records(end - first) for first, end in itertools.pairwise(ends)]

    def steps(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
        def body(t: tf.Tensor, x: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
            x = convolve(convolve(convolve(x, gates), d_gates), candidate)
            return t + 1, convolve(x, d_candidate)

        start = (tf.constant(0), x[: tf.shape(x)[0] // n])
        _, last = tf.while_loop(lambda t, _: t < n, body, start, parallel_iterations=1)
        kernels = kernel_gradient(x, y, gates), kernel_gradient(x, x, candidate)
        return tf.add_n([z[0, 0, 0, 0] for z in (last, *kernels)])

    step = tf.function(lambda: tf.add_n([steps(*part) for part in by_part]))
    return lambda: float(step())


CONTENDERS = {
    "package": package_step,
    "naive": naive_step,
    "torch": torch_step,
    "ceiling": ceiling_step,
    "convolutions": convolutions_step,
}


def main() -> None:
    options = json.loads(sys.argv[1])
    if options["cores"]:
        usable = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, usable[: options["cores"]])
    start = time.monotonic()
    step = CONTENDERS[options["contender"]](options)
    step()
    print(json.dumps({"first": time.monotonic() - start}), flush=True)
    for line in sys.stdin:
        seconds, processor = [], []
        for _ in range(int(line)):
            start = time.monotonic(), time.process_time()
            step()
            seconds.append(time.monotonic() - start[0])
            processor.append(time.process_time() - start[1])
        print(json.dumps({"seconds": seconds, "processor": processor}), flush=True)
    print(json.dumps({"memory": peak_memory()}), flush=True)


if __name__ == "__main__":
    main()
