"""Symbols that every vocabulary has, and what options may be."""

PAD, GO, EOS, SPACE = range(4)
"""Padding; the symbol before the first; end of sequence; a space between pieces."""

RESERVED_SYMBOLS = 260
"""The control symbols, of which there are four, and the 256 bytes."""

TIMES = "*×·x"
"""What stands for times in a question; tasks write the first."""

CELLS = ("gru", "lstm")
"""A recurrent model's cells."""

SCORES = ("additive", "dot")
"""How attention scores a row of a memory."""

LOOKUPS = ("state", *SCORES)
"""What weighs a fixed-size memory's rows: the decoder's state alone, or a score."""

SCORINGS = ("softmax", "sigmoid")
"""How scores become weights."""

CONTROLLERS = ("lstm", "feedforward")
"""What uses the memory of a Neural Turing Machine."""

MEMORY_STARTS = ("learned", "constant")
"""What that memory and its heads start from."""

MAX_COLUMNS = 1024
"""Columns of the widest canvas that an exported solver has, unless told otherwise."""

INT32_MAX = 2**31 - 1
"""What graphs can count to."""

PADDINGS = ("zero", "learned")
"""What a canvas holds in the columns of PAD."""
