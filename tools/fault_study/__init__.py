"""A fault study of the ledger: claims spoilt one at a time, by rule, and what `verify` says of each.

`python -m tools.fault_study` from the root of the repository writes `docs/fault_study.md`; it takes about
fifteen minutes of one core.
"""
