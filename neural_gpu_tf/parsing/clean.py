"""The usual clean-up of treebank trees before parsers are trained or scored."""

from neural_gpu_tf.parsing.tree import CLOSE, OPEN, Tree

TRACE = "-NONE-"
"""The tag of what is not said: traces, zero complementizers, ..."""

ROOTS = ("TOP", "ROOT", "S1")
"""Labels of an outer bracket that says nothing; the Penn Treebank's has none."""


def clean(tree: Tree) -> Tree | None:
    """Keeps what a parser is to find: words, tags and bare labels.

        ( (S (NP-SBJ-1 (PRP He)) (VP (VBD seemed)
             (S (NP-SBJ (-NONE- *-1)) (VP (TO to) (VP (VB run))))) (. .)))

    becomes

        (S (NP (PRP He)) (VP (VBD seemed) (S (VP (TO to) (VP (VB run))))) (. .))

    Traces go, and so do the constituents that are empty then; function tags and
    indices are cut off (`bare_label`); unlabelled brackets dissolve, and so do outer
    ones in ROOTS. If more than one constituent is left then, or a word alone, TOP
    holds it all together: scorers pass over it.

    Returns:
        A constituent, or None where no word is left.
    """
    stack: list[list[Tree]] = [[]]
    for event, part in tree.events():
        if event == OPEN:
            stack.append([])
        elif event == CLOSE:
            children, label = stack.pop(), bare_label(part.label)
            if label and children:
                children = [Tree(label, tuple(children))]
            stack[-1].extend(children)
        elif part.label != TRACE:
            stack[-1].append(part)
    found = tuple(stack[0])
    while len(found) == 1 and found[0].word is None:
        if found[0].label not in ROOTS:
            return found[0]
        found = found[0].children
    return Tree("TOP", found) if found else None


def bare_label(label: str) -> str:
    """Cuts function tags and indices off: NP-SBJ-1 → NP, NP=2 → NP, -LRB- → -LRB-."""
    if label.startswith("-"):
        return label
    return label.split("-")[0].split("=")[0]
