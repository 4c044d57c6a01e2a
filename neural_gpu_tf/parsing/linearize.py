"""Trees as sequences of symbols, and back."""

from collections.abc import Iterable, Sequence

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.parsing.tree import CLOSE, OPEN, Tree


def linearize(tree: Tree) -> list[str]:
    """A tree as the symbols that a sequence model learns to say.

        (S (NP (PRP He)) (VP (VBZ runs)) (. .))

    becomes

        (S (NP PRP )NP (VP VBZ )VP . )S

    (Vinyals et al. 2015, "Grammar as a Foreign Language", §2.2: depth first, closing
    brackets labelled; where that paper says XX for any word, this says its tag.) The
    words are not in it: word k belongs to the k-th tag.

    Args:
        tree: a constituent, without unlabelled or empty ones in it, as `clean` leaves
            it.
    """
    brackets = {OPEN: "(", CLOSE: ")"}
    return [f"{brackets.get(event, '')}{part.label}" for event, part in tree.events()]


def delinearize(symbols: Iterable[str], words: Sequence[str], where: str) -> Tree:
    """The tree of a sequence: the inverse of `linearize`, given the words.

    Args:
        symbols: as from `linearize`.
        words: as many as there are tags.
        where: file and line, for messages.

    Raises:
        InputError: the symbols are no tree over these words.
    """

    def fault(what: str) -> InputError:
        return InputError(f"{where}: {what}; decode with the bracket constraint")

    stack: list[tuple[str, list[Tree]]] = [("", [])]
    tagged = 0
    for symbol in symbols:
        label, children = stack[-1]
        if symbol.startswith("("):
            stack.append((symbol[1:], []))
        elif symbol.startswith(")"):
            if len(stack) == 1 or symbol[1:] != label:
                raise fault(f"{symbol} closes no bracket; open is ({label}")
            if not children:
                raise fault(f"({label} {symbol} holds nothing")
            stack.pop()
            stack[-1][1].append(Tree(label, tuple(children)))
        else:
            if tagged == len(words):
                raise fault(f"the tag {symbol} has no word, there are {len(words)}")
            children.append(Tree(symbol, word=words[tagged]))
            tagged += 1
    if len(stack) > 1:
        raise fault(f"({stack[-1][0]} is never closed")
    if tagged < len(words):
        raise fault(f"{len(words)} words and only {tagged} tags")
    roots = stack[0][1]
    if len(roots) != 1 or roots[0].word is not None:
        raise fault(f"{len(roots)} trees or words where one tree must stand")
    return roots[0]
