"""What was measured, and how to measure it again: `make bench`.

Every timing is a ratio: the contenders run as processes of their own, in turns
(A B A B …), so that what disturbs the machine disturbs them alike.
"""
