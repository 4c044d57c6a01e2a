"""Reads bracketed trees, as in the Penn Treebank's .mrg files."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.parsing.spelling import NO_BREAK
from neural_gpu_tf.parsing.tree import Tree

_TOKEN = re.compile(rf"[()]|[^\s()]+(?:{NO_BREAK}+[^\s()]+)*")


class _Bracket(NamedTuple):
    line: int  # that it was opened on, from 1
    parts: list[str | Tree]


def read_trees(lines: Iterable[str], name: str) -> Iterator[Tree]:
    """Yields one tree after the other, as soon as its last bracket is closed.

    A tree may stretch over many lines, and a line may hold many trees:

        ( (S (NP-SBJ (PRP He) )
             (VP (VBZ runs) )
             (. .) ))

    Args:
        lines: e.g. of `text.read_lines`.
        name: of the file, for messages.

    Raises:
        InputError: brackets that don't match, or one that holds neither children nor
            one tagged word; the message names file and line.
    """
    stack: list[_Bracket] = []
    for number, line in enumerate(lines, 1):
        where = f"{name}:{number}"
        for token in _TOKEN.findall(line):
            if token == "(":
                stack.append(_Bracket(number, []))
            elif not stack:
                fault = (
                    "a closing bracket too many; balance the brackets"
                    if token == ")"
                    else f"{token!r} outside all brackets; write (TAG {token})"
                )
                raise InputError(f"{where}: {fault}")
            elif token != ")":
                stack[-1].parts.append(token)
            else:
                tree = _tree(stack.pop().parts, where)
                if stack:
                    stack[-1].parts.append(tree)
                else:
                    yield tree
    if stack:
        raise InputError(
            f"{name}:{stack[0].line}: the tree that begins here lacks {len(stack)} "
            "closing brackets at the end of the file; balance the brackets"
        )


def _tree(parts: list[str | Tree], where: str) -> Tree:
    """What stood between two brackets, as a tree."""
    label = parts[0] if parts and isinstance(parts[0], str) else ""
    rest = parts[1:] if label else parts
    words = [part for part in rest if isinstance(part, str)]
    children = [part for part in rest if isinstance(part, Tree)]
    if not words and (rest or not label):
        return Tree(label, tuple(children))
    if words and len(rest) == 1:
        return Tree(label, word=words[0])
    inside = " ".join(part if isinstance(part, str) else "(…)" for part in parts)
    raise InputError(
        f"{where}: ({inside}) holds neither children nor one word; write (LABEL "
        "(TAG word) …)"
    )
