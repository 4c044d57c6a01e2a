"""A textbook Transformer in PyTorch, trained on pairs of symbols; needs PyTorch, NumPy.

python -m benchmarks.textbook_torch_transformer PAIRS.npz DIR '{"steps": 7000}'

The encoder-decoder of Vaswani et al. 2017 with the norms before the sublayers, of
`nn.Transformer…Layer`s; the target's embeddings are the output's matrix too. Batches
are of one length, Adam's rate rises and then falls linearly to 0, and the weights kept
are the mean of the last checkpoints. Ended early, it goes on from the last one.
"""

import json
import math
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel

PAD, GO, EOS = 0, 1, 2
OPTIONS: dict[str, Any] = {
    "vocabulary": 8000,
    "size": 256,
    "inner": 704,
    "layers": 3,
    "heads": 4,
    "dropout": 0.3,
    "smoothing": 0.1,
    "batch": 80,
    "steps": 7000,
    "warmup": 1000,
    "rate": 1e-3,
    "bfloat16": True,
    "every": 250,
    "averaged": 5,
    "seed": 0,
}
LONGEST = 128
WEIGHTS, STATE = "transformer.pt", "checkpoint.pt"


def positions(count: int, size: int) -> torch.Tensor:
    """Sines of all frequencies, then their cosines: [count, size]."""
    rates = torch.exp(-math.log(1e4) * torch.arange(size // 2) / (size // 2 - 1))
    angles = torch.arange(count)[:, None] * rates
    return torch.cat([angles.sin(), angles.cos()], 1)


class Transformer(nn.Module):
    """An encoder-decoder whose output has the target's embeddings for its matrix.

    Args:
        options: see `OPTIONS`.
    """

    def __init__(self, options: dict[str, Any]):
        super().__init__()
        size, vocabulary = options["size"], options["vocabulary"]
        sizes = size, options["heads"], options["inner"], options["dropout"]
        flags = {"batch_first": True, "norm_first": True}
        self.scale = math.sqrt(size)
        self.source = nn.Embedding(vocabulary, size, PAD)
        self.target = nn.Embedding(vocabulary, size, PAD)
        self.encoder = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(*sizes, **flags),
            options["layers"],
            nn.LayerNorm(size),
            enable_nested_tensor=False,
        )
        self.decoder = nn.TransformerDecoder(
            nn.TransformerDecoderLayer(*sizes, **flags),
            options["layers"],
            nn.LayerNorm(size),
        )
        self.dropout = nn.Dropout(options["dropout"])
        self.register_buffer("positions", positions(LONGEST, size), persistent=False)
        for name, weight in self.named_parameters():
            if weight.dim() > 1 and name not in ("source.weight", "target.weight"):
                nn.init.xavier_uniform_(weight)
        for table in (self.source, self.target):
            nn.init.normal_(table.weight, std=1 / self.scale)
        for layer in (*self.encoder.layers, *self.decoder.layers):
            layer.dropout.p = 0.0  # inside; what a sublayer adds is dropped out
            layer.self_attn.dropout = 0.0
        for layer in self.decoder.layers:
            layer.multihead_attn.dropout = 0.0

    def embed(self, table: nn.Embedding, symbols: torch.Tensor) -> torch.Tensor:
        vectors = self.scale * table(symbols) + self.positions[: symbols.shape[1]]
        return self.dropout(vectors)

    def read(self, source: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The encoder's rows, and which of them are padding."""
        padding = source == PAD
        vectors = self.embed(self.source, source)
        return self.encoder(vectors, src_key_padding_mask=padding), padding

    def write(
        self, rows: torch.Tensor, padding: torch.Tensor, before: torch.Tensor
    ) -> torch.Tensor:
        """The decoder's rows, that of column t having seen `before` up to t."""
        length = before.shape[1]
        future = torch.ones(length, length, dtype=torch.bool).triu(1)
        return self.decoder(
            self.embed(self.target, before),
            rows,
            tgt_mask=future,
            tgt_is_causal=True,
            memory_key_padding_mask=padding,
        )

    def loss(
        self, source: torch.Tensor, target: torch.Tensor, smoothing: float
    ) -> torch.Tensor:
        """The mean cross-entropy of a symbol of the target, PAD left out."""
        before = F.pad(target[:, :-1], (1, 0), value=GO)
        rows = self.write(*self.read(source), before)
        heard = target != PAD
        logits = F.linear(rows[heard], self.target.weight)
        return F.cross_entropy(
            logits.float(), target[heard].long(), label_smoothing=smoothing
        )

    @torch.inference_mode()
    def greedy(self, source: torch.Tensor, longest: int) -> torch.Tensor:
        """The likeliest symbol after the likeliest symbol."""
        self.eval()
        memory = self.read(source)
        said = torch.full((len(source), 1), GO)
        ended = torch.zeros(len(source), dtype=torch.bool)
        while said.shape[1] <= longest and not ended.all():
            last = self.write(*memory, said)[:, -1]
            best = F.linear(last, self.target.weight).argmax(-1)
            said = torch.cat([said, best[:, None]], 1)
            ended |= best == EOS
        self.train()
        return said[:, 1:]


def epoch_batches(lengths: np.ndarray, batch: int, seed: int, epoch: int) -> list:
    """An epoch's batches of examples about as long, in an order of the seed's."""
    random = np.random.default_rng([seed, epoch])
    order = random.permutation(len(lengths))
    order = order[np.argsort(lengths[order], kind="stable")]
    batches = [order[i : i + batch] for i in range(0, len(order), batch)]
    random.shuffle(batches)
    return batches


def rows(symbols: np.ndarray, which: np.ndarray | slice) -> torch.Tensor:
    """Some examples, as long as the longest of them."""
    chosen = symbols[which]
    return torch.from_numpy(chosen[:, : (chosen != PAD).sum(1).max()].astype(np.int64))


def exactly_right(model: Transformer, pairs: dict[str, np.ndarray]) -> float:
    """The share of the first 200 validation pairs that greedy decoding has right."""
    right = 0
    for start in range(0, 200, 50):
        part = slice(start, start + 50)
        target = rows(pairs["validation_target"], part)
        said = model.greedy(rows(pairs["validation_source"], part), target.shape[1])
        ended = (said == EOS).cumsum(1) - (said == EOS).long()
        said = F.pad(said.where(ended == 0, PAD), (0, target.shape[1] - said.shape[1]))
        right += int((said == target).all(1).sum())
    return right / 200


class Training:
    """A model in training, and the file that it goes on from.

    Args:
        options: see `OPTIONS`.
        directory: of the checkpoint.
    """

    def __init__(self, options: dict[str, Any], directory: Path):
        torch.manual_seed(options["seed"])
        self.options, self.file = options, directory / STATE
        self.model = Transformer(options)
        self.optimizer = torch.optim.Adam(
            self.model.parameters(), betas=(0.9, 0.98), eps=1e-9, fused=True
        )
        self.step, self.seconds = 0, 0.0
        self.kept: list[dict[str, torch.Tensor]] = []
        if self.file.exists():
            self.restore(torch.load(self.file))

    def restore(self, state: dict[str, Any]) -> None:
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        torch.set_rng_state(state["random"])
        self.step, self.seconds = state["step"], state["seconds"]
        self.kept = state["kept"]

    def save(self, seconds: float) -> None:
        copied = {k: x.clone() for k, x in self.model.state_dict().items()}
        self.kept = [*self.kept, copied][-self.options["averaged"] :]
        state = {
            "model": copied,
            "optimizer": self.optimizer.state_dict(),
            "random": torch.get_rng_state(),
            "step": self.step,
            "seconds": seconds,
            "kept": self.kept,
        }
        torch.save(state, self.file.with_suffix(".new"))
        self.file.with_suffix(".new").replace(self.file)

    def update(self, source: torch.Tensor, target: torch.Tensor) -> float:
        """One step of Adam; the loss."""
        given = self.options
        warm = (self.step + 1) / given["warmup"]
        left = (given["steps"] - self.step) / (given["steps"] - given["warmup"])
        self.optimizer.param_groups[0]["lr"] = given["rate"] * min(warm, left)
        with torch.autocast("cpu", torch.bfloat16, enabled=given["bfloat16"]):
            loss = self.model.loss(source, target, given["smoothing"])
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.step += 1
        return loss.item()


def train(pairs: dict[str, np.ndarray], options: dict[str, Any], where: Path) -> dict:
    """Trains to the last step; what is told of it.

    Args:
        pairs: "train_source" and so on, symbols [examples, length], PAD behind.
        options: see `OPTIONS`.
        where: the folder of the checkpoint and, at the end, of the weights.
    """
    training = Training(options, where)
    source, target = pairs["train_source"], pairs["train_target"]
    lengths = (target != PAD).sum(1) * 1000 + (source != PAD).sum(1)
    count = -(-len(source) // options["batch"])
    before, clock = training.seconds, time.process_time()
    losses: list[Any] = []
    while training.step < options["steps"]:
        epoch, place = divmod(training.step, count)
        if not place or not losses:
            batches = epoch_batches(lengths, options["batch"], options["seed"], epoch)
        which = batches[place]
        losses.append(training.update(rows(source, which), rows(target, which)))
        if training.step % options["every"] == 0:
            seconds = before + time.process_time() - clock
            training.save(seconds)
            line = f"{training.step} {seconds:.0f} s loss {np.mean(losses[-250:]):.3f}"
            if training.step % (4 * options["every"]) == 0:
                line += f" exactly right {exactly_right(training.model, pairs):.3f}"
            print(line, file=sys.stderr, flush=True)
    mean = {
        k: torch.stack([x[k] for x in training.kept]).mean(0) for k in training.kept[0]
    }
    weights = sum(x.numel() for x in training.model.parameters())
    told = {
        "weights": weights,
        "seconds": before + time.process_time() - clock,
        "epochs": training.step / count,
    }
    (where / "training.json").write_text(json.dumps(options | told))
    beside = where / f"{WEIGHTS}.tmp"  # its weights tell that a training is done
    torch.save(mean, beside)
    beside.replace(where / WEIGHTS)
    return told


def main() -> None:
    torch.set_num_threads(1)
    options = OPTIONS | json.loads(sys.argv[3])
    with np.load(sys.argv[1]) as file:
        pairs = dict(file)
    where = Path(sys.argv[2])
    with sdpa_kernel([SDPBackend.MATH]):  # of bfloat16 the other's gradient is slow
        told = train(pairs, options, where)
    print(json.dumps(told))


if __name__ == "__main__":
    main()
