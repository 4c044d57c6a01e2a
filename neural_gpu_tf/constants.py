"""Numbers of the symbols that every vocabulary has."""

PAD, GO, EOS, SPACE = range(4)
"""Padding; the symbol before the first; end of sequence; a space between pieces."""
