"""How much arithmetic a step is."""

CANVASES = ("neural_gpu", "diagonal_neural_gpu", "extended_neural_gpu")
"""The models whose convolutions `convolution_flops` counts."""


def convolution_flops(
    model: str, maps: int, width: int, layers: int, length: int, batch: int
) -> tuple[float, float]:
    """FLOPs of the convolutions of one training step: as written, and as needed.

    A convolution of c maps to c' on a canvas takes 2 · 3 · min(3, 2w - 1) · c · c' for
    each of its n · w cells; forward once, backward twice. A CGRU has three of m to m;
    with a tape, as written, six. As needed, the three of the tape are left out: each
    step writes one column, which costs 1/n of them.

    Args:
        model: of `CANVASES`.
        maps, width, layers, length, batch: m, w, l, n and examples.

    Returns:
        As the equations are written, and without what need not be computed.
    """
    kernel = 3 * min(3, 2 * width - 1)
    one = 3 * 2 * kernel * maps * maps * length * width * batch * length * layers
    if model != "extended_neural_gpu":
        return 3.0 * one, 3.0 * one
    return 9.0 * one, 6.0 * one
