"""A constituency tree."""

import dataclasses
from collections.abc import Iterator

OPEN, WORD, CLOSE = range(3)
"""What `Tree.events` tells of."""


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """A constituent with children, or a word with its tag; immutable.

        Tree("NP", (Tree("DT", word="the"), Tree("NN", word="cat")))

    is written (NP (DT the) (NN cat)). `str` writes it so, on one line; brackets within
    a word become -LRB- and -RRB-, as in the Penn Treebank. Trees of any depth will do,
    also for == and `hash`; only `repr` and pickle recurse.

    Attributes:
        label: of the constituent, like NP, or the word's part of speech; "" for the
            outer bracket of the Penn Treebank.
        children: from left to right; empty for a word, and for the tree "()", which
            says that there is no parse.
        word: None for a constituent.
    """

    label: str
    children: tuple["Tree", ...] = ()
    word: str | None = None

    def events(self) -> Iterator[tuple[int, "Tree"]]:
        """Reads the tree from left to right.

        Yields:
            (OPEN, tree) and, behind all that it holds, (CLOSE, tree) for a
            constituent; (WORD, tree) for a tagged word.
        """
        todo = [(OPEN, self)]
        while todo:
            event, tree = todo.pop()
            if tree.word is not None:
                yield WORD, tree
                continue
            yield event, tree
            if event == OPEN:
                todo.append((CLOSE, tree))
                todo.extend((OPEN, child) for child in reversed(tree.children))

    def words(self) -> list[str]:
        """The words, from left to right."""
        return [tree.word or "" for event, tree in self.events() if event == WORD]

    def __str__(self) -> str:
        text = []
        for event, tree in self.events():
            if event == CLOSE:
                text.append(")")
            elif event == OPEN:
                text.append(f" ({tree.label}")
            else:
                word = (tree.word or "").replace("(", "-LRB-").replace(")", "-RRB-")
                text.append(f" ({tree.label} {word})")
        return "".join(text)[1:]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        return self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash(self._parts())

    def _parts(self) -> tuple:
        """What the tree is, without a nest."""
        return tuple((event, x.label, x.word) for event, x in self.events())
