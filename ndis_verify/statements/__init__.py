"""The language of statements: one object from which a claim is printed, attacked, decided and mutated.

A statement is a light tree of this package's own, frozen and never evaluated on construction. SymPy was the other
candidate; it sorts sums and folds numbers as soon as an expression is made, relations turn themselves round, and every
node would need `evaluate=False` down to the leaves. What remains of SymPy then is its printer, which puts the author's
terms into another order. The tree here needs forty lines, round trips through JSON by itself, and imports nothing
numerical, so that no witness has to be loaded to read a statement.

`terms` the expressions, `quantities` what their heads mean and how they are printed, `printing` plain text and TeX,
`statement` variables, hypotheses and relations, `json_form` the way to files and back, `mutation` faults by rule.
Numbers come in elsewhere: the court binds each head to float64 columns and to ball arithmetic.
"""
