"""Examples of an algorithmic task, from short to long, without any framework."""

import json
import math

import numpy as np

from neural_gpu_tf.options import CurriculumConfig
from neural_gpu_tf.tasks import Task

_HARD_POOL = 64
_RISE = 0.025  # more dropout at once was seen to undo what was learned
_CHANGE_EVERY = 40  # batches at least


class Course:
    """Draws the training batches of a task, and decides when they get longer.

    A batch has one length. With the shares of `config` it is the current one, any up
    to the current one, or any up to the longest; so nothing is forgotten, and long
    examples are seen early (Kaiser & Sutskever 2016, §3; Zaremba & Sutskever 2014).
    When the running share of entirely correct examples of the current length exceeds
    `threshold`, the length grows by one digit. Without a curriculum, when the share at
    the longest length (with buckets: at all lengths) does, the longest length doubles,
    up to `doublings` times, and the batch size is quartered, so that a step takes about
    as long.

    While the length doesn't grow, dropout rises when that share exceeds
    `dropout_threshold`, and falls when the share is below `dropout_falls_below`: at the
    longest length, and before it if `threshold` is higher and not exceeded. This noise
    is to make the memory robust over more steps than in training. Examples with spare
    columns take more steps than they need, so that the answer doesn't depend on the
    number of steps. (So do some in the bins of Freivalds & Liepins's code, whose spare
    columns are set to 0 after each step; here they are cells like others.)

    Every batch is a function of the seed, its number and the current length; these,
    the running share and the dropout are the state.

    Args:
        config: the options.
        most_dropout: the model's own, beyond which it doesn't rise.
    """

    def __init__(self, config: CurriculumConfig, most_dropout: float = 1.0):
        self.config = config
        self.most_dropout = most_dropout
        self.buckets = config.buckets
        self.task = config.algorithm_in_training
        self.bits = config.least_bits if config.curriculum else config.most_bits
        self.taken = 0
        self.right = 0.0
        self.rises = 0
        self._changed = 0  # batches taken at the last rise or fall
        self.drawn = 0  # the length of the last batch

    @property
    def dropout(self) -> float | None:
        """`curriculum_dropout`, and what it has risen by; None: the model's own."""
        least = self.config.curriculum_dropout
        if least == -1:
            return None
        return min(least + _RISE * self.rises, max(least, self.most_dropout))

    @property
    def may_rise(self) -> bool:
        """Whether there is dropout that may rise further."""
        return self.dropout is not None and self.dropout < self.most_dropout

    @property
    def doubled(self) -> int:
        """How many times the longest length has doubled."""
        return max(0, (self.bits // self.config.most_bits).bit_length() - 1)

    @property
    def _may_double(self) -> bool:
        config = self.config
        return self.doubled < config.doublings and self.taken >= config.doubling_from

    @property
    def most_bits(self) -> int:
        """The longest length now."""
        return self.config.most_bits << self.doubled

    def draw(self) -> tuple[dict[str, np.ndarray], ...]:
        """The next batch of each bucket: source and target int32 [batch, n], and size.

        `size` tells how many columns of an example count, spare ones among them.
        """
        rng = np.random.default_rng([self.config.curriculum_seed, self.taken])
        if self.config.buckets == 1:
            bits = self.drawn = self._draw_bits(rng)
            buckets = (self._examples(rng, bits, bits),)
        else:
            self.drawn = self.bits  # the longest ones are in every step
            buckets = tuple(self._examples(rng, *bounds) for bounds in self._ranges())
        self.taken += 1
        return buckets

    def note(self, share: float) -> bool:
        """Takes note of the share of wholly right examples of the last batch.

        Returns:
            Whether the running share at the current length passes the threshold; at
            the longest one it may do so for many batches in a row.
        """
        if self.drawn != self.bits:
            return False
        self.right += 0.1 * (share - self.right)
        learned = self.right > self.config.threshold
        if learned and self.bits < self.config.most_bits:
            self.bits += 1
            self.right = 0.0
        elif learned and self._may_double:
            self.bits *= 2
            self.right = 0.0
        else:
            self._change_dropout()
        return learned

    def _change_dropout(self) -> None:
        """Lets it rise, or fall again, by one step; not soon after the last one."""
        if self.taken - self._changed < _CHANGE_EVERY:
            return
        config = self.config
        rise = self.right > config.dropout_threshold and self.may_rise
        fall = self.right < config.dropout_falls_below and self.rises > 0
        if rise or fall:
            self.rises += 1 if rise else -1
            self._changed = self.taken

    def scalars(self) -> dict[str, float]:
        """For the log."""
        scalars = {"bits": float(self.bits), "right_at_bits": self.right}
        return scalars | ({} if self.dropout is None else {"dropout": self.dropout})

    def _draw_bits(self, rng: np.random.Generator) -> int:
        """The length of a batch."""
        config = self.config
        which, current = rng.random(), config.current_share
        if self.bits == config.most_bits and config.longest_share != -1:
            current = config.longest_share
        if config.curriculum and which < current:
            return self.bits
        if config.curriculum and which < current + config.shorter_share:
            return int(rng.integers(config.least_bits, self.bits + 1))
        return int(rng.integers(config.least_bits, self.most_bits + 1))

    def _ranges(self) -> list[tuple[int, int]]:
        """The least and the most bits of each bucket: the lengths, cut evenly."""
        config = self.config
        lengths = np.arange(config.least_bits, self.most_bits + 1)
        parts = np.array_split(lengths, config.buckets)
        return [(int(part[0]), int(part[-1])) for part in parts]

    def _batch_size(self, columns: int) -> int:
        """How many examples of so many columns a batch has.

        Short ones cost little, in columns and in steps, and a small batch of them tells
        little: up to `most_batch_size` they are as many as cost no more than a batch of
        the longest ones.
        """
        size = self.config.task_batch_size >> 2 * self.doubled
        times = (self.task.canvas(self.most_bits) / columns) ** 2
        most = min(times, self.config.most_batch_size / size)
        return size << max(0, int(math.log2(max(1.0, most))))

    def _hard_examples(self, batch: int) -> int:
        """How many of a batch are hard; if less than half a one, one now and then."""
        config = self.config
        share = config.last_hard_share if self.doubled else config.hard_share
        hard = share * batch
        now_and_then = int(hard * (self.taken + 1)) - int(hard * self.taken)
        return round(hard) or now_and_then

    def _examples(
        self, rng: np.random.Generator, least: int, most: int
    ) -> dict[str, np.ndarray]:
        """A batch of examples of `least` to `most` bits, perhaps with spare columns."""
        config = self.config
        columns = self.task.canvas(most)
        spare = 0
        if config.spare_columns and rng.random() < 0.5:
            spare = int(rng.integers(math.ceil(config.spare_columns * columns) + 1))
        examples = self._batch_size(columns)
        hard = self._hard_examples(examples)
        lengths = rng.integers(least, most + 1, examples)
        task: Task = self.task
        if config.unbalanced_share and rng.random() < config.unbalanced_share:
            task = config.unbalanced_algorithm
        rows: list[tuple[np.ndarray, ...]] = []
        for bits in range(least, most + 1):
            count = int(np.count_nonzero(lengths[hard:] == bits))
            if count:
                rows.append(task.generate(rng, task.canvas(bits), count))
            count = int(np.count_nonzero(lengths[:hard] == bits))
            if count:
                # Of many: the kinds take turns, and the carries have every length.
                many = self.task.hard(rng, bits, count + _HARD_POOL)
                chosen = rng.permutation(count + _HARD_POOL)[:count]
                rows.append(tuple(part[chosen] for part in many))
        columns += spare
        source, target = (
            np.concatenate(
                [np.pad(x, [(0, 0), (0, columns - x.shape[1])]) for x in parts]
            )
            for parts in zip(*rows, strict=True)
        )
        size = self.task.size(source) + np.int32(spare)
        return {"source": source, "target": target, "size": size}

    def serialize(self) -> str:
        state = self.taken, self.bits, self.right, self.rises, self._changed
        return json.dumps(state)

    def deserialize(self, text: str) -> None:
        state = json.loads(text)
        self.taken, self.bits, self.right, self.rises, self._changed = state
