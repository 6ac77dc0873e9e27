"""A mutation study of the package's own code: bugs planted one at a time, and the tests that catch them.

`python -m tools.mutation_study` from the root of the repository; `--help` says how much of it. The results are kept
line by line in the `journals` beside this file, from which a stopped study goes on and `docs/mutation_study.md` is
written.
"""
