"""Active-memory sequence models (the Neural GPU family) in TensorFlow 2 and Keras 3.

    import neural_gpu_tf as ng

    ng.load("badd").solve("1011 + 110")     # a model that comes with the package
    ng.load("runs/mine").translate("Two dogs play.")
    ng.CGRU(24)                             # layers and models for Keras
    ng.tasks.TASKS                          # and what else the subpackages have

Names are imported when they are first used, so `import neural_gpu_tf` is quick and
imports neither Keras nor a backend. After `import keras` it imports what Keras's
`load_model` may have to know.
"""

import importlib
import os
import pkgutil
import sys
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_ROOMS = {
    "constants": ("EOS", "GO", "PAD", "SPACE"),
    "decoding": ("beam_search", "greedy", "sample"),
    "errors": ("InputError",),
    "inference": ("Solver", "Translator"),
    "layers": (
        "CGRU",
        "ActiveMemoryDecoder",
        "ActiveMemoryEncoder",
        "AttentiveDecoder",
        "DiagonalCGRU",
        "DiagonalEncoder",
        "FirstRow",
        "FixedMemory",
        "MemoryAnnotations",
        "MemoryAttention",
        "MemoryLookup",
        "PooledDecoder",
        "RecurrentDecoder",
        "RecurrentEncoder",
        "ReplicaDropout",
        "ResidualUnit",
        "RowWithVectors",
        "SourceMask",
        "StackMachine",
        "TapeCGRU",
        "TapeResidualUnit",
        "TuringHeads",
        "TuringMachine",
        "UnsharedEncoder",
        "WithinSize",
        "SourcePadding",
    ),
    "models": (
        "MODELS",
        "AttentionSeq2Seq",
        "DiagonalNeuralGPU",
        "Ensemble",
        "ExtendedNeuralGPU",
        "FixedMemorySeq2Seq",
        "HybridNeuralGPU",
        "HybridSeq2Seq",
        "MarkovianNeuralGPU",
        "NeuralGPU",
        "NeuralTuringMachine",
        "PooledNeuralGPU",
        "RNNSeq2Seq",
        "ResidualNeuralGPU",
        "StackRNN",
    ),
    "options": ("DecodingConfig", "ModelConfig", "SamplingConfig"),
    "tasks": ("TASKS", "Task"),
    "text": ("SpellOutTokenizer", "Vocabulary"),
    "workflows.trained": ("TrainedSolver", "TrainedTranslator", "load"),
}
"""The public names, by the module that has them."""

_HOME = {name: room for room, names in _ROOMS.items() for name in names}
__all__ = ["__version__", *_HOME]

if TYPE_CHECKING:  # X as X: a name of this package, to type checkers
    from neural_gpu_tf import (
        curriculum as curriculum,
        data as data,
        decoding as decoding,
        evaluation as evaluation,
        inference as inference,
        layers as layers,
        models as models,
        optimizers as optimizers,
        options as options,
        parsing as parsing,
        pipelines as pipelines,
        runs as runs,
        serving as serving,
        tasks as tasks,
        text as text,
        training as training,
        workflows as workflows,
    )
    from neural_gpu_tf.constants import (
        EOS as EOS,
        GO as GO,
        PAD as PAD,
        SPACE as SPACE,
    )
    from neural_gpu_tf.decoding import (
        beam_search as beam_search,
        greedy as greedy,
        sample as sample,
    )
    from neural_gpu_tf.errors import (
        InputError as InputError,
    )
    from neural_gpu_tf.inference import (
        Solver as Solver,
        Translator as Translator,
    )
    from neural_gpu_tf.layers import (
        CGRU as CGRU,
        ActiveMemoryDecoder as ActiveMemoryDecoder,
        ActiveMemoryEncoder as ActiveMemoryEncoder,
        AttentiveDecoder as AttentiveDecoder,
        DiagonalCGRU as DiagonalCGRU,
        DiagonalEncoder as DiagonalEncoder,
        FirstRow as FirstRow,
        FixedMemory as FixedMemory,
        MemoryAnnotations as MemoryAnnotations,
        MemoryAttention as MemoryAttention,
        MemoryLookup as MemoryLookup,
        PooledDecoder as PooledDecoder,
        RecurrentDecoder as RecurrentDecoder,
        RecurrentEncoder as RecurrentEncoder,
        ReplicaDropout as ReplicaDropout,
        ResidualUnit as ResidualUnit,
        RowWithVectors as RowWithVectors,
        SourceMask as SourceMask,
        SourcePadding as SourcePadding,
        StackMachine as StackMachine,
        TapeCGRU as TapeCGRU,
        TapeResidualUnit as TapeResidualUnit,
        TuringHeads as TuringHeads,
        TuringMachine as TuringMachine,
        UnsharedEncoder as UnsharedEncoder,
        WithinSize as WithinSize,
    )
    from neural_gpu_tf.models import (
        MODELS as MODELS,
        AttentionSeq2Seq as AttentionSeq2Seq,
        DiagonalNeuralGPU as DiagonalNeuralGPU,
        Ensemble as Ensemble,
        ExtendedNeuralGPU as ExtendedNeuralGPU,
        FixedMemorySeq2Seq as FixedMemorySeq2Seq,
        HybridNeuralGPU as HybridNeuralGPU,
        HybridSeq2Seq as HybridSeq2Seq,
        MarkovianNeuralGPU as MarkovianNeuralGPU,
        NeuralGPU as NeuralGPU,
        NeuralTuringMachine as NeuralTuringMachine,
        PooledNeuralGPU as PooledNeuralGPU,
        RNNSeq2Seq as RNNSeq2Seq,
        ResidualNeuralGPU as ResidualNeuralGPU,
        StackRNN as StackRNN,
    )
    from neural_gpu_tf.options import (
        DecodingConfig as DecodingConfig,
        ModelConfig as ModelConfig,
        SamplingConfig as SamplingConfig,
    )
    from neural_gpu_tf.tasks import (
        TASKS as TASKS,
        Task as Task,
    )
    from neural_gpu_tf.text import (
        SpellOutTokenizer as SpellOutTokenizer,
        Vocabulary as Vocabulary,
    )
    from neural_gpu_tf.workflows.trained import (
        TrainedSolver as TrainedSolver,
        TrainedTranslator as TrainedTranslator,
        load as load,
    )
else:

    def __getattr__(name: str) -> Any:
        if name not in _HOME:
            if name in _subpackages():
                return importlib.import_module(f"{__name__}.{name}")
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
        globals()[name] = value
        return value


def _subpackages() -> set[str]:
    modules = pkgutil.iter_modules([os.path.dirname(__file__)])
    return {module.name for module in modules if module.ispkg}


def __dir__() -> list[str]:
    special = {"__all__", "__doc__", "__file__", "__path__"}
    return sorted({*__all__, *_subpackages(), *special})


if "keras" in sys.modules:  # which knows layers, models, optimizers once imported
    importlib.import_module(f"{__name__}.models")
    importlib.import_module(f"{__name__}.optimizers")
