"""Which parts of a layer are frozen and which quantized, kept in its configuration.

A layer's own configuration says of it alone whether it is trainable, and in which
dtype policy it is.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import keras


class KeepsParts:
    """Mixin, as first base, whose frozen or quantized parts stay so when saved."""

    def get_config(self) -> dict:
        return {**super().get_config(), **kept_parts(self)}

    @classmethod
    def from_config(cls, config: dict, custom_objects: Any = None) -> Any:
        return restored(cls, config)


def kept_parts(layer: keras.layers.Layer) -> dict[str, Any]:
    """What `get_config` keeps, if there is any.

    Returns:
        "frozen": the paths of the parts that are not trainable; "quantized": by path
        the policy and the configuration of the parts that `quantize` has changed.
    """
    parts = list(_parts(layer))
    frozen = [path for path, part in parts if not part.trainable]
    quantized = {path: _policy(part) for path, part in parts if part.quantization_mode}
    found = {"frozen": frozen, "quantized": quantized}
    return {name: kept for name, kept in found.items() if kept}


def restored(cls: type, config: Mapping[str, Any]) -> Any:
    """A layer of its configuration, its parts as `kept_parts` said."""
    kept = {name: config.get(name) for name in ("frozen", "quantized")}
    layer = cls(**{name: x for name, x in config.items() if name not in kept})
    parts = dict(_parts(layer)) if any(kept.values()) else {}
    for path, told in (kept["quantized"] or {}).items():
        _quantize(parts[path], told)
    if kept["frozen"]:
        for path, part in parts.items():
            part.trainable = path not in kept["frozen"]
    return layer


def _policy(part: keras.layers.Layer) -> dict[str, Any]:
    """How a part is quantized, for JSON."""
    config = getattr(part, "quantization_config", None)
    return {
        "policy": keras.dtype_policies.serialize(part.dtype_policy),
        "config": keras.saving.serialize_keras_object(config),
    }


def _quantize(part: keras.layers.Layer, told: Mapping[str, Any]) -> None:
    """Gives a part the weights of a quantized one; it has no values of its own yet."""
    config = keras.saving.deserialize_keras_object(told["config"])
    policy = keras.dtype_policies.deserialize(told["policy"])
    if part.built:
        part.quantize(policy.quantization_mode, config=config)
    else:
        part.quantization_config = config
        part.dtype_policy = policy


def _parts(layer: keras.layers.Layer, path: str = "") -> Iterator[tuple[str, Any]]:
    """The layers in a layer by their names, each before those in it.

    The second of a name in a layer is NAME#2, and so on.
    """
    seen: Counter[str] = Counter()
    for part in layer._flatten_layers(include_self=False, recursive=False):
        seen[part.name] += 1
        again = f"#{seen[part.name]}" if seen[part.name] > 1 else ""
        yield path + part.name + again, part
        yield from _parts(part, f"{path}{part.name}{again}/")
