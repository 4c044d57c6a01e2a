"""A textbook Neural GPU in PyTorch, eager; needs `pip install torch`."""

import torch
import torch.nn.functional as F
from torch import nn


class CGRU(nn.Module):
    """CGRU(s), or CGRU^d(s, p) with `tape`; canvases are [batch, m, n, w]."""

    def __init__(
        self, maps: int, kernel_size: tuple[int, int], cutoff: float, tape: bool
    ):
        super().__init__()

        def convolution(bias: bool) -> nn.Conv2d:
            return nn.Conv2d(maps, maps, kernel_size, padding="same", bias=bias)

        self.cutoff = cutoff
        self.U, self.U1, self.U2 = (convolution(True) for _ in range(3))
        self.W, self.W1, self.W2 = (
            convolution(False) if tape else None for _ in range(3)
        )

    def forward(self, s: torch.Tensor, p: torch.Tensor | None = None) -> torch.Tensor:
        def linear(x: torch.Tensor, U: nn.Module, W: nn.Module | None) -> torch.Tensor:
            return U(x) if p is None else U(x) + W(p)

        def gate(x: torch.Tensor) -> torch.Tensor:
            c = self.cutoff
            return torch.clamp(c * torch.sigmoid(x) - (c - 1) / 2, 0, 1)

        u = gate(linear(s, self.U1, self.W1))
        r = gate(linear(s, self.U2, self.W2))
        return u * s + (1 - u) * torch.tanh(linear(r * s, self.U, self.W))


class NeuralGPU(nn.Module):
    """The Neural GPU, with a decoder if `extended`; see `benchmarks.naive`."""

    def __init__(
        self,
        vocabulary: int,
        maps: int,
        width: int,
        layers: int,
        extended: bool,
        cutoff: float = 1.2,
    ):
        super().__init__()
        size = (3, min(3, 2 * width - 1))
        self.width = width
        self.source = nn.Embedding(vocabulary, maps)
        self.target = nn.Embedding(vocabulary, maps) if extended else None
        self.encoder = nn.ModuleList(
            CGRU(maps, size, cutoff, tape=False) for _ in range(layers)
        )
        self.decoder = nn.ModuleList(
            CGRU(maps, size, cutoff, tape=True) for _ in range(layers * extended)
        )
        self.readout = nn.Linear(maps, vocabulary, bias=False)

    def forward(self, source: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        n = source.shape[1]
        s = F.pad(self.source(source).transpose(1, 2)[..., None], (0, self.width - 1))
        for _ in range(n):
            for unit in self.encoder:
                s = unit(s)
        if self.target is None:
            return self.readout(s[..., 0].transpose(1, 2))
        vectors = self.target(target)
        tape, outputs = torch.zeros_like(s), []
        for t in range(n):
            for unit in self.decoder:
                s = unit(s, tape)
            outputs.append(s[:, :, t, 0])
            tape = tape.clone()
            tape[:, :, t, 0] = vectors[:, t]
        return self.readout(torch.stack(outputs, dim=1))

    def loss(self, source: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """The mean cross-entropy of a symbol."""
        return F.cross_entropy(self(source, target).flatten(0, 1), target.flatten())
