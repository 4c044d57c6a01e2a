"""Textbook recurrent encoder-decoders in PyTorch, eager; needs `pip install torch`.

`nn.GRU` reads and, where nothing is attended to, writes; a decoder that attends is
`nn.GRUCell`s in a loop. What can be computed for all steps at once stands outside it.
(`nn.GRU` has its reset gate behind the matrix; the arithmetic is as much.)
"""

import torch
import torch.nn.functional as F
from torch import nn

PAD, GO = 0, 1


class Attention(nn.Module):
    """Additive attention (Bahdanau et al. 2014)."""

    def __init__(self, size: int, units: int):
        super().__init__()
        self.query = nn.Linear(units, units, bias=False)
        self.key = nn.Linear(size, units, bias=False)
        self.score = nn.Linear(units, 1, bias=False)

    def remember(self, rows: torch.Tensor, mask: torch.Tensor) -> tuple:
        return rows, self.key(rows), mask

    def forward(self, s: torch.Tensor, memory: tuple) -> torch.Tensor:
        rows, keys, mask = memory
        scores = self.score(torch.tanh(keys + self.query(s)[:, None])).squeeze(2)
        weights = F.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)
        return torch.bmm(weights[:, None], rows).squeeze(1)


class FixedMemory(nn.Module):
    """Attention to K rows made in encoding (Britz et al. 2017)."""

    def __init__(self, size: int, units: int, contexts: int = 64):
        super().__init__()
        self.write = nn.Linear(size, contexts, bias=False)
        self.read = nn.Linear(units, contexts, bias=False)

    def remember(self, rows: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        weights = F.softmax(self.write(rows), dim=-1) * mask[:, :, None]
        return torch.bmm(weights.transpose(1, 2), rows)

    def forward(self, s: torch.Tensor, memory: torch.Tensor) -> torch.Tensor:
        return torch.bmm(F.softmax(self.read(s), dim=-1)[:, None], memory).squeeze(1)


READERS = {"attention_seq2seq": Attention, "fixed_memory_seq2seq": FixedMemory}


class Seq2Seq(nn.Module):
    """The recurrent models of the package, with GRUs, by their names.

    Args:
        model: "attention_seq2seq", "fixed_memory_seq2seq" or "rnn_seq2seq".
        vocabulary: symbols.
        units: of a cell, of the embeddings and of the readout.
        layers: of encoder and decoder each.
        bidirectional: whether the encoder also reads backwards.
    """

    def __init__(
        self, model: str, vocabulary: int, units: int, layers: int, bidirectional: bool
    ):
        super().__init__()
        size = (1 + bidirectional) * units
        self.layers = layers
        self.source = nn.Embedding(vocabulary, units)
        self.target = nn.Embedding(vocabulary, units)
        self.encoder = nn.GRU(
            units, units, layers, batch_first=True, bidirectional=bool(bidirectional)
        )
        self.bridges = nn.ModuleList(
            nn.Linear(size, units) for _ in range(layers * bidirectional)
        )
        self.reader = READERS[model](size, units) if model in READERS else None
        seen = units + size * (self.reader is not None)
        if self.reader is None:
            self.decoder = nn.GRU(seen, units, layers, batch_first=True)
        else:
            self.cells = nn.ModuleList(
                nn.GRUCell(units if i else seen, units) for i in range(layers)
            )
        self.maxout = nn.Linear(units + seen, 2 * units)
        self.readout = nn.Linear(units, vocabulary, bias=False)

    def forward(self, source: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        mask = source != PAD
        rows, last = self.encoder(self.source(source))
        last = last.unflatten(0, (self.layers, -1))
        states = [directions[0] for directions in last]
        if self.bridges:
            pairs = zip(self.bridges, last, strict=True)
            states = [torch.tanh(W(torch.cat(list(pair), -1))) for W, pair in pairs]
        vectors = self.target(F.pad(target[:, :-1], (1, 0), value=GO))
        if self.reader is None:
            outputs, _ = self.decoder(vectors, torch.stack(states))
            seen = [outputs, vectors]
        else:
            seen = self._attend(vectors, states, self.reader.remember(rows, mask))
        return self.readout(
            self.maxout(torch.cat(seen, -1)).unflatten(2, (-1, 2)).amax(3)
        )

    def _attend(
        self, vectors: torch.Tensor, states: list[torch.Tensor], memory: object
    ) -> list[torch.Tensor]:
        """What the readout sees of all steps."""
        outputs, contexts = [], []
        for t in range(vectors.shape[1]):
            context = self.reader(states[-1], memory)
            x = torch.cat([vectors[:, t], context], -1)
            for i, cell in enumerate(self.cells):
                x = states[i] = cell(x, states[i])
            outputs.append(x)
            contexts.append(context)
        return [torch.stack(outputs, 1), vectors, torch.stack(contexts, 1)]

    def loss(self, source: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """The mean cross-entropy of a symbol that is not PAD."""
        logits = self(source, target).flatten(0, 1)
        return F.cross_entropy(logits, target.flatten(), ignore_index=PAD)
