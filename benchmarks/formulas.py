"""How much arithmetic a step is."""


def convolution_flops(
    model: str, maps: int, width: int, layers: int, length: int, batch: int
) -> tuple[float, float]:
    """FLOPs of the convolutions of one training step: as written, and as needed.

    A convolution of c maps to c' on a canvas takes 2 · 3 · min(3, 2w - 1) · c · c' for
    each of its n · w cells; forward once, backward twice. A CGRU has three of m to m;
    with a tape, as written, six. As needed, the three of the tape are left out: each
    step writes one column, which costs 1/n of them.

    Args:
        model: "neural_gpu", "diagonal_neural_gpu" or "extended_neural_gpu".
        maps, width, layers, length, batch: m, w, l, n and examples.

    Returns:
        As the equations are written, and without what need not be computed.
    """
    kernel = 3 * min(3, 2 * width - 1)
    one = 3 * 2 * kernel * maps * maps * length * width * batch * length * layers
    if model != "extended_neural_gpu":
        return 3.0 * one, 3.0 * one
    return 9.0 * one, 6.0 * one
