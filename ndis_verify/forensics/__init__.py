"""Which privacy a published table delivers: from its printed noise levels alone, with proof.

A declaration says what the table says (mechanism, printed noise, settings) and what is not known (the norm bound, r or
d); one row fixes what is unknown, and the others are judged by it. A printed number stands for all numbers that are
printed so.
"""
