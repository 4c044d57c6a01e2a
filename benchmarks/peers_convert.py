"""The Transformer of `textbook_torch_transformer` as a model of CTranslate2.

python -m benchmarks.peers_convert DIR VOCABULARY

Needs PyTorch and CTranslate2. Reads DIR/transformer.pt and DIR/training.json; writes
DIR/float32/ and DIR/int8/, each a folder that `ctranslate2.Translator` loads.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import ctranslate2
import torch
from ctranslate2.specs import TransformerSpec

from benchmarks.peers_tokens import PlainVocabulary
from benchmarks.textbook_torch_transformer import LONGEST, WEIGHTS, positions

TYPES = ("float32", "int8")
UNKNOWN, START, END = "<pad>", "<go>", "<eos>"

State = Mapping[str, torch.Tensor]


def converted(state: State, options: Mapping[str, Any]) -> TransformerSpec:
    """The weights by CTranslate2's names.

    Args:
        state: of the `Transformer`'s weights, by PyTorch's names.
        options: see `textbook_torch_transformer.OPTIONS`.
    """
    layers, heads = options["layers"], options["heads"]
    spec = TransformerSpec.from_config((layers, layers), heads, pre_norm=True)
    for side, name in ((spec.encoder, "encoder"), (spec.decoder, "decoder")):
        side.scale_embeddings = True
        side.position_encodings.encodings = positions(LONGEST, options["size"])
        _norm(side.layer_norm, state, f"{name}.norm")
        for i, layer in enumerate(side.layer):
            _layer(layer, state, f"{name}.layers.{i}", name == "decoder")
    spec.encoder.embeddings[0].weight = state["source.weight"]
    spec.decoder.embeddings.weight = state["target.weight"]
    spec.decoder.projection.weight = state["target.weight"]
    return spec


def _layer(layer: Any, state: State, name: str, reads: bool) -> None:
    """The sublayers of one layer, each with the norm before it."""
    _self_attention(layer.self_attention, state, f"{name}.self_attn")
    _norm(layer.self_attention.layer_norm, state, f"{name}.norm1")
    if reads:
        _source_attention(layer.attention, state, f"{name}.multihead_attn")
        _norm(layer.attention.layer_norm, state, f"{name}.norm2")
    _norm(layer.ffn.layer_norm, state, f"{name}.norm{2 + reads}")
    _linear(layer.ffn.linear_0, state, f"{name}.linear1")
    _linear(layer.ffn.linear_1, state, f"{name}.linear2")


def _self_attention(attention: Any, state: State, name: str) -> None:
    """Query, key and value in one matrix, as PyTorch has them."""
    joint, output = attention.linear
    joint.weight = state[f"{name}.in_proj_weight"]
    joint.bias = state[f"{name}.in_proj_bias"]
    _linear(output, state, f"{name}.out_proj")


def _source_attention(attention: Any, state: State, name: str) -> None:
    """The query's matrix, then key's and value's in one."""
    query, memory, output = attention.linear
    weight, bias = state[f"{name}.in_proj_weight"], state[f"{name}.in_proj_bias"]
    size = weight.shape[1]
    query.weight, memory.weight = weight[:size], weight[size:]
    query.bias, memory.bias = bias[:size], bias[size:]
    _linear(output, state, f"{name}.out_proj")


def _linear(linear: Any, state: State, name: str) -> None:
    linear.weight, linear.bias = state[f"{name}.weight"], state[f"{name}.bias"]


def _norm(norm: Any, state: State, name: str) -> None:
    norm.gamma, norm.beta = state[f"{name}.weight"], state[f"{name}.bias"]


def write(
    state: State, options: Mapping[str, Any], symbols: list[str], where: Path
) -> None:
    """Writes a folder for each of `TYPES`.

    Args:
        state, options: see `converted`.
        symbols: of source and target, by their numbers.
        where: the folder of these folders.
    """
    for kind in TYPES:
        # copies: quantizing works in place
        spec = converted({k: x.clone() for k, x in state.items()}, options)
        spec.register_source_vocabulary(symbols)
        spec.register_target_vocabulary(symbols)
        spec.config.unk_token = UNKNOWN
        spec.config.bos_token = spec.config.decoder_start_token = START
        spec.config.eos_token = END
        spec.config.layer_norm_epsilon = 1e-5
        spec.validate()
        spec.optimize(quantization=None if kind == "float32" else kind)
        (where / kind).mkdir(exist_ok=True)
        spec.save(str(where / kind))
        ctranslate2.Translator(str(where / kind), compute_type=kind)


def main() -> None:
    where = Path(sys.argv[1])
    state = torch.load(where / WEIGHTS)
    options = json.loads((where / "training.json").read_text())
    write(state, options, PlainVocabulary.load(sys.argv[2]).symbols, where)


if __name__ == "__main__":
    main()
