"""Which parts of a layer are not trained, kept in its configuration."""

from collections.abc import Iterator, Mapping
from typing import Any

import keras


class KeepsFrozen:
    """A layer, as its first base, whose frozen parts stay frozen in a saved model."""

    def get_config(self) -> dict:
        return {**super().get_config(), **frozen(self)}

    @classmethod
    def from_config(cls, config: dict, custom_objects: Any = None) -> Any:
        return restored(cls, config)


def frozen(layer: keras.layers.Layer) -> dict[str, list[str]]:
    """What `get_config` keeps: the paths of the parts that are not trainable, if any.

    A layer's own configuration says of the layer alone whether it is trainable.
    """
    paths = [path for path, part in _parts(layer) if not part.trainable]
    return {"frozen": paths} if paths else {}


def restored(cls: type, config: Mapping[str, Any]) -> Any:
    """A layer of its configuration, its parts trainable as `frozen` said."""
    options = {name: value for name, value in config.items() if name != "frozen"}
    layer = cls(**options)
    if "frozen" in config:
        for path, part in _parts(layer):
            part.trainable = path not in config["frozen"]
    return layer


def _parts(layer: keras.layers.Layer, path: str = "") -> Iterator[tuple[str, Any]]:
    """The layers in a layer by their names, each before those in it."""
    for part in layer._flatten_layers(include_self=False, recursive=False):
        yield path + part.name, part
        yield from _parts(part, f"{path}{part.name}/")
