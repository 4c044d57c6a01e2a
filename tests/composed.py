"""Encoders and decoders of units, from the options of both."""

UNIT_OPTIONS = ("kernel_size", "cutoff", "gate_bias", "kernel_initializer", "dtype")


def loop(cls, unit, maps=3, layers=2, **options):
    """`cls` of so many units, which get what of the options is theirs; built."""
    own = {name: options[name] for name in UNIT_OPTIONS if name in options}
    others = {k: v for k, v in options.items() if k not in own or k == "dtype"}
    units = [unit(maps, **own, name=f"unit_{i + 1}") for i in range(layers)]
    layer = cls(units, **others)
    layer.build()
    return layer
