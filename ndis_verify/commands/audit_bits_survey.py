"""`ndis-verify audit bits-survey` and the page that it writes."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from importlib import metadata
from pathlib import Path

from ndis_verify.exact_number import InputError
from ndis_verify.experiments import bit_survey
from ndis_verify.experiments.bit_survey import SurveyRow, ValidityRow
from ndis_verify.runs.files import write_atomically
from ndis_verify.runs.progress import Progress
from ndis_verify.tables import markdown_line

# The planted sampler, and the mechanism that now stands in its place, by their names in `bit_cases` and
# `mechanisms.neighbours`.
_REPLACED = {
    "mean + std * rng.normal()": "Gaussian",
    "least squares solved from a sketch on a grid": "sketched least squares",
    "Gaussian process without added noise, not rounded": "Gaussian process, variance 0",
    "relative projection, ridge 0, not rounded": "relative projection, ridge 0",
    "relative projection, ridge 0, many columns, not rounded": "relative projection, ridge 0, many columns",
    "projection after a test at ridge 0, not rounded": "projection after a test, ridge 0",
    "relative sketch at ridge 0, tiny records, not rounded": "relative least squares, sketch, ridge 0, tiny records",
}
_PACKAGES = {"diffprivlib": "diffprivlib", "OpenDP": "opendp", "PyDP": "python-dp"}
_SHOWN_WORDS = 160


HELP = "the auditor of bits on planted holes, other libraries and all mechanisms of ours, and how often its limits fail"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of the survey."""
    for option, default, metavar, words in (
        ("--draws", 40_000, "N", "of each side, of planted samplers and other libraries"),
        ("--own-draws", 8_000, "N", "of each side, of every mechanism of ours"),
        ("--runs", 200, "K", "audits of each sampler of known privacy"),
        ("--seed", 0, None, "the same seed gives the same rows but for samplers that take none"),
    ):
        parser.add_argument(option, type=int, default=default, metavar=metavar, help=f"{words} (default %(default)s)")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the page here")
    parser.add_argument("--json", action="store_true", help="print the rows as JSON instead of the page")


def main(arguments: argparse.Namespace) -> int:
    """Run, print, write; 1 where one of our own mechanisms is refuted, or a planted hole is not found."""
    for name, least in (("draws", 64), ("own_draws", 64), ("runs", 1), ("seed", 0)):
        if getattr(arguments, name) < least:
            raise InputError(f"--{name.replace('_', '-')}", str(getattr(arguments, name)), f"must be at least {least}")
    bar = Progress("audit bits-survey")
    try:
        rows = list(bit_survey.survey(arguments.draws, arguments.own_draws, arguments.seed, bar))
        validity = list(bit_survey.validity_study(arguments.runs, arguments.seed, bar))
    finally:
        bar.close()
    text = markdown(rows, validity, arguments)
    if arguments.markdown:
        write_atomically(arguments.markdown, text)
    print(
        json.dumps({"rows": [asdict(row) for row in rows], "validity": [asdict(row) for row in validity]}, indent=1)
        if arguments.json
        else text
    )
    return int(any((row.outcome == "refuted") != (row.group == "planted") for row in rows if row.group != "others"))


def markdown(rows: Sequence[SurveyRow], validity: Sequence[ValidityRow], arguments: argparse.Namespace) -> str:
    """The page `docs/bit_audit.md`."""
    by_name = {(row.group, row.sampler): row for row in rows}
    before_after = [
        (row, by_name.get(("ours", _REPLACED.get(row.sampler, "")))) for row in rows if row.group == "planted"
    ]
    sizes = (
        f"--draws {arguments.draws} --own-draws {arguments.own_draws} --runs {arguments.runs} --seed {arguments.seed}"
    )
    return _PAGE.format(
        command=f"ndis-verify audit bits-survey {sizes}",
        before_after="\n".join(_before_after(planted, ours) for planted, ours in before_after),
        others="\n".join(map(_table_row, (row for row in rows if row.group == "others")))
        or "| none is installed | | | | |",
        versions=_versions(),
        ours="\n".join(map(_table_row, (row for row in rows if row.group == "ours"))),
        validity="\n".join(map(_validity_row, validity)),
    )


def _before_after(planted: SurveyRow, ours: SurveyRow | None) -> str:
    after = "" if ours is None else "refused" if ours.outcome == "refused" else f"{_number(ours.limit)}, {ours.outcome}"
    before = f"{_number(planted.limit)}, {planted.outcome}"
    return markdown_line((planted.sampler, planted.attack, _claim(planted), before, after, _short(planted.event)))


def _table_row(row: SurveyRow) -> str:
    return markdown_line((row.sampler, _claim(row), _number(row.limit), row.outcome, _short(row.event)))


def _validity_row(row: ValidityRow) -> str:
    allowed = f"{(1 - row.confidence) * row.runs:.4g}"
    levels = row.pair, f"{row.confidence:g}", row.runs, row.above, allowed
    return markdown_line((*levels, f"{row.mean:.3f}", f"{row.true:.3f}"))


def _claim(row: SurveyRow) -> str:
    return f"({row.epsilon:g}, {row.claimed:.3g})"


def _number(limit: float) -> str:
    return f"{limit:.3g}" if limit > 0 else "0"


def _short(words: str) -> str:
    return words if len(words) <= _SHOWN_WORDS else words[:_SHOWN_WORDS].rsplit(" ", 1)[0] + " ..."


def _versions() -> str:
    found = []
    for name, package in _PACKAGES.items():
        try:
            found.append(f"{name} {metadata.version(package)}")
        except metadata.PackageNotFoundError:
            continue
    return ", ".join(found) or "none"


_PAGE = """# Auditing the bits of releases

A certificate speaks of a law of real numbers; what leaves a program are float64s. Adding float noise to a value leaves
traces of the value: zeros at the end of a mantissa after cancellation, numbers that the noise could not have made,
integers that a ratio gives back, the order in which a library added (Mironov 2012; arXiv 2207.13793). `ndis-verify
audit bits` looks for such traces in anybody's sampler and turns them into lower limits of epsilon and delta that hold
at a stated confidence.

## How to audit a sampler

A Python function that gives `count` fresh releases (an array, one row each), on each of two neighbouring databases:

```python
import numpy as np
from ndis_verify.audit import audit_bits

rng = np.random.default_rng()
samplers = [lambda count, value=value: rng.normal(value, 3.73, count) for value in (0.0, 1.0)]
found = audit_bits(*samplers, epsilon=1, delta=1e-5)
print(found.refutes(1, 1e-5), found.delta(1), found.best.words)
```

A command in any language, which draws when it is asked, line by line on its standard input and output:

```
$ ndis-verify audit bits --epsilon 1 --delta 1e-5 -- python3 my_sampler.py
{{"id": 1, "command": "draw", "side": "p", "count": 500}}        asked
{{"id": 1, "value": [[0.1, "0x1.8p-3"], ...]}}                   answered: 500 releases on database P
```

Each release is a list of numbers, or the number itself; every number is written in full, as `repr` writes it or as a
hexadecimal float in quotes ("inf", "-inf" and "nan" too). `{{"id": 1, "error": {{"message": "..."}}}}` ends the audit.
The command runs with your rights, in a process group of its own that is killed in the end; `--timeout` bounds each
answer and `--limit` all of them. A whole sampler in Python:

```python
import json, random, sys
for line in sys.stdin:
    request = json.loads(line)
    value = 0.0 if request["side"] == "p" else 1.0
    releases = [random.gauss(value, 3.73) for _ in range(request["count"])]
    print(json.dumps({{"id": request["id"], "value": releases}}), flush=True)
```

Two files, a release on each line: `ndis-verify audit bits --epsilon 1 --delta 1e-5 --files p.csv q.csv`. Exit code 0:
done; 1: the stated claim is refuted; 2: usage, or a sampler that failed. `--value-p` and `--value-q` give what would be
released without noise, `--grid` a public step, `--laplace` the scale of numpy's Laplace noise; `--json` the events in
full.

## What is looked at

Of each number: its kind (sign, zero, subnormal, infinity, nan), its trailing zeros, the largest power of two that
divides it, its last four bits, these beside its size; whether it is a multiple of a given, a decimal or a learned step,
and which one modulo 16; the simplest fraction within rounding of it (continued fraction); whether it was drawn before.
Of pairs: what divides one beside what divides the other and its ulp, trailing zeros of sum and difference, the simplest
fraction within rounding of the ratio (reduction of the two-dimensional lattice of relations). Of a release: repeated
magnitudes, zeros, signs, and the evidence of all its numbers together. Of a release less a candidate value: trailing
zeros, divisors, whether it is a float64 at all, whether a noise generator could have made it.

## Why the limits hold

The first half of the draws decides which events are looked at: features are fitted to its first half, and sets of their
values are chosen on its second half. Given these, the counts on the other half are binomial whatever the laws are.
Clopper-Pearson limits of the best event spend half of the allowed failure, the best events of all families share the
other half (Bonferroni): all limits hold at once with at least the stated confidence. For any event S, delta(epsilon) >=
P(S) - e^epsilon Q(S). Draws must be independent within each side; a function that repeats its draws is refused. Nothing
found is no proof that nothing is there.

## Attacks, before and after

Written by `{command}` at confidence 0.95. Before: float64 samplers with the right law of real numbers and the hole
planted, against what the certificate of the real-number law says; after: the mechanism as it is now, on the same
databases. Numbers are lower limits of delta.

| sampler | what gives it away | claim | before | after | event |
|---|---|---|---|---|---|
{before_after}

## Samplers of other libraries

On the values 0 and 1, asked for (1, 1e-5) at sensitivity 1. Versions: {versions}.

| sampler | claim | delta at least | claim is | event |
|---|---|---|---|---|
{others}

## Every mechanism of ours

On the databases of `ndis_verify/mechanisms/neighbours.py`; the claim is the delta that the certificate states.

| mechanism | claim | delta at least | claim is | event |
|---|---|---|---|---|
{ours}

## How often a limit is above the truth

Samplers on a grid whose privacy is known in closed form, 400 draws of each side. "above": runs whose limit was above
the true delta at any of epsilon = 0, 0.25, 0.5, 1, beside the number that the confidence allows on average.

| sampler | confidence | runs | above | allowed | mean limit at 0.25 | true delta at 0.25 |
|---|---|---|---|---|---|---|
{validity}
"""
