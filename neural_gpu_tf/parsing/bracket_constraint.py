"""The constraint that makes every output a tree over the source's words."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from keras import ops

from neural_gpu_tf.constants import EOS
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.parsing.spelling import CLOSE_MARK, OPEN_MARK, TAG_MARK
from neural_gpu_tf.types import Tensor

FIRST_BYTE, FIRST_CHARACTER = 4, 260
"""As in `text/vocabulary.py`, which imports TensorFlow; a test compares them."""

OTHER, OPEN, CLOSE, TAG, END = range(5)  # kinds of target symbols
NEITHER, LETTER, WORD = range(3)  # kinds of source symbols


class BracketState(NamedTuple):
    """How far a hypothesis has come; every tensor leads with the hypotheses."""

    stack: Tensor  # int32 [h, max_depth]: labels of the open brackets, outermost first
    depth: Tensor  # int32 [h]: d, how many are open
    opened: Tensor  # int32 [h]: brackets opened since the last tag or closing
    words: Tensor  # int32 [h]: r, words that have no tag yet
    size: Tensor  # int32 [h]: n_b
    possible: Tensor  # bool [h]: whether any tree fits the canvas


class BracketConstraint:
    """Allows just the linear trees (`linearize`) with one tag for each word.

    With d open brackets, r words without a tag and column t to be filled, so that
    n_b - t - 1 columns are left behind it, it allows

        (X    if r > 0, d < max_depth, fewer than max_opened brackets were opened since
              the last tag or closing, and r + (d + 1) + 1 ≤ n_b - t - 1: behind it
              there is room for all tags, all closings and EOS
        tag   if r > 0 and d > 0
        )X    if X was opened last and holds something; the root only if r = 0
        EOS   if d = 0 and r = 0

    Hence one root, no empty constituent, no unary chain of more than max_opened, and no
    dead end: a tag takes a column and a word, a closing a column and a bracket, so the
    room that (X has checked stays enough, and one of the four is always allowed. Every
    output is a whole tree, whatever the model, if n_b ≥ words + 3. On a smaller canvas,
    or without a word, there is no tree: only tags are allowed then and no EOS, so the
    output doesn't count as finished, and a search over sizes prefers any other. (With
    `size_margin` of 3 or more the largest canvas always holds a tree: a word has at
    least one symbol.)

    The target has no words, only the source does, and it alone says how many. Its
    symbols are those of `spelling.spell_words`, where each word is one piece or spelled
    in letters, with SPACE between two spelled ones; so a word begins at each piece, and
    at each letter or byte that follows neither letter nor byte.

    Args:
        symbols: the vocabulary's, in order; brackets and tags are known by their
            spelling (`spelling.spell_symbols`). A bracket that can't be closed is not
            allowed.
        max_depth: most open brackets.
        max_opened: most brackets opened without a word between.

    Raises:
        InputError: there is no bracket or no tag among the symbols.
    """

    def __init__(
        self, symbols: Sequence[str], max_depth: int = 64, max_opened: int = 8
    ):
        opens, closes = (
            {symbol.removeprefix(mark) for symbol in symbols if symbol.startswith(mark)}
            for mark in (OPEN_MARK, CLOSE_MARK)
        )
        labels = {label: index for index, label in enumerate(sorted(opens & closes))}
        kinds = np.full(len(symbols), OTHER, np.int32)
        label_of = np.full(len(symbols), -1, np.int32)
        for number, symbol in enumerate(symbols):
            for mark, kind in ((OPEN_MARK, OPEN), (CLOSE_MARK, CLOSE)):
                label = symbol.removeprefix(mark)
                if symbol.startswith(mark) and label in labels:
                    kinds[number], label_of[number] = kind, labels[label]
            if symbol.startswith(TAG_MARK):
                kinds[number] = TAG
        if not labels or TAG not in kinds:
            raise InputError(
                "the vocabulary has no brackets or no tags of trees; build it with "
                "neural-gpu-trees --vocab"
            )
        kinds[EOS] = END
        source_kinds = np.array(
            [LETTER if len(symbol) == 1 else WORD for symbol in symbols], np.int32
        )
        source_kinds[FIRST_BYTE:FIRST_CHARACTER] = LETTER
        source_kinds[:FIRST_BYTE] = NEITHER
        self.max_depth = max_depth
        self.max_opened = max_opened
        self._kinds = kinds  # [v]
        self._labels = label_of  # [v]; -1 where there is none
        self._source_kinds = source_kinds  # [v]

    def start(self, source: Tensor, size: Tensor) -> BracketState:
        """Nothing said: source symbols [h, n], size n_b [h]."""
        words = self.count_words(source)
        size = ops.cast(size, "int32")
        none = ops.zeros_like(size)
        return BracketState(
            stack=ops.repeat(none[:, None], self.max_depth, axis=1),
            depth=none,
            opened=none,
            words=words,
            size=size,
            possible=ops.logical_and(words > 0, words + 3 <= size),
        )

    def allowed(self, state: BracketState, t: Tensor | int) -> Tensor:
        """Which symbols may stand in column t: bool [h, v]."""
        left = state.size - ops.cast(t, "int32") - 1
        inside, untagged = state.depth > 0, state.words > 0
        may_open = _all(
            untagged,
            state.words + state.depth + 2 <= left,
            state.depth < self.max_depth,
            state.opened < self.max_opened,
        )
        may_close = _all(
            inside,
            state.opened == 0,
            ops.logical_or(state.depth > 1, state.words == 0),
        )
        may_tag = _all(untagged, inside)
        may_end = ops.logical_not(ops.logical_or(untagged, inside))
        never = ops.zeros_like(inside)
        may = ops.stack([never, may_open, may_close, may_tag, may_end], axis=1)
        only_tags = (np.arange(5) == TAG)[None, :]
        may = ops.where(state.possible[:, None], may, only_tags)

        last = ops.maximum(state.depth - 1, 0)[:, None]
        label = ops.take_along_axis(state.stack, last, axis=1)
        matching = ops.logical_or(self._kinds != CLOSE, self._labels == label)
        return ops.logical_and(ops.take(may, self._kinds, axis=1), matching)

    def advance(self, state: BracketState, symbol: Tensor) -> BracketState:
        """The state behind one more symbol, [h]."""
        kind = ops.take(self._kinds, symbol, axis=0)
        label = ops.take(self._labels, symbol, axis=0)
        opens, closes, tags = (
            ops.cast(kind == one, "int32") for one in (OPEN, CLOSE, TAG)
        )
        levels = ops.arange(self.max_depth, dtype="int32")[None, :]
        top = ops.where(kind == OPEN, state.depth, -1)[:, None]
        return state._replace(
            stack=ops.where(levels == top, label[:, None], state.stack),
            depth=state.depth + opens - closes,
            opened=(state.opened + opens) * (1 - tags),  # 0 where one may close
            words=state.words - tags,
        )

    def count_words(self, source: Tensor) -> Tensor:
        """The words of sources of symbols, [h, n] → int32 [h]."""
        kinds = ops.take(self._source_kinds, source, axis=0)
        before = ops.pad(kinds, [[0, 0], [1, 0]])[:, :-1]
        in_word = ops.logical_and(kinds == LETTER, before == LETTER)
        begins = ops.logical_and(kinds != NEITHER, ops.logical_not(in_word))
        return ops.sum(ops.cast(begins, "int32"), axis=1)


def _all(*conditions: Tensor) -> Tensor:
    result = conditions[0]
    for condition in conditions[1:]:
        result = ops.logical_and(result, condition)
    return result
