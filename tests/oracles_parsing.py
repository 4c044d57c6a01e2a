"""Random trees, and all trees of a small grammar, made without the code under test."""

import itertools

from neural_gpu_tf.parsing import Tree

LABELS = ("S", "NP", "VP", "ADVP|PRT", "X-Y", "nul")
TAGS = ("NN", "PRP$", "-LRB-", ",", "''", "``", ":", "#")
WORDS = (
    "cat",
    "a",
    "I",
    "U.S.",
    "n't",
    "-LRB-",
    "_",
    "__",
    "été",
    "日本",
    "1\\/2",
    "*",
)


def random_tree(rng, words, labels=LABELS, tags=TAGS, unary=0.3):
    """A tree over words, whose constituents have any number of children from 1."""
    children = []
    while words:
        take = int(rng.integers(1, len(words) + 1))
        some, words = words[:take], words[take:]
        if len(some) == 1 and rng.random() > unary:
            children.append(Tree(str(rng.choice(tags)), word=some[0]))
        elif words or children or rng.random() < unary:
            children.append(random_tree(rng, some, labels, tags, unary))
        else:  # one child that holds all would go on for ever
            children.extend(Tree(str(rng.choice(tags)), word=word) for word in some)
    return Tree(str(rng.choice(labels)), tuple(children))


def random_words(rng, most, words=WORDS):
    count = int(rng.integers(1, most + 1))
    return [str(word) for word in rng.choice(words, count)]


def all_sequences(labels, tags, words, brackets):
    """All linear trees over `words` words with at most so many constituents.

    A forest is ((sequence, constituents), …); what a constituent holds is a forest
    that is not empty.
    """

    def forests(words, brackets):
        if words == 0:
            yield (), 0
            return
        for tag in tags:  # the first child is a word
            for rest, used in forests(words - 1, brackets):
                yield (tag, *rest), used
        for first in range(1, words + 1):  # or a constituent
            for tree, used in trees(first, brackets):
                for rest, more in forests(words - first, brackets - used):
                    yield (*tree, *rest), used + more

    def trees(words, brackets):
        if brackets == 0:
            return
        for inside, used in forests(words, brackets - 1):
            for label in labels:
                yield (f"({label}", *inside, f"){label}"), used + 1

    return {sequence for sequence, _ in trees(words, brackets)}


def nesting(sequence):
    """The most open brackets, and the most opened without a tag or closing between."""
    depth = deepest = run = longest = 0
    for symbol in sequence:
        depth += symbol.startswith("(") - symbol.startswith(")")
        run = run + 1 if symbol.startswith("(") else 0
        deepest, longest = max(deepest, depth), max(longest, run)
    return deepest, longest


def next_symbols(sequences):
    """Prefix to all that may follow it; None is the end."""
    follow = {}
    for sequence in sequences:
        for end, symbol in enumerate(itertools.chain(sequence, [None])):
            follow.setdefault(sequence[:end], set()).add(symbol)
    return follow
