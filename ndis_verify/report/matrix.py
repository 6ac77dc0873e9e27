"""The cross-check matrix: every printed item of the sources against the routes that speak of it.

A cell is found by looking: in the checks of the item's claims and what they call, in kept certificates, in reference
rows, adapters of published libraries and notebooks. A blank carries the reason why nothing is there (`matrix_blanks`).
"""

from __future__ import annotations

import ast
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from functools import cache
from typing import Any

from ndis_verify.claim import Check, Claim, Evidence, Kind
from ndis_verify.claims.ledger import SOURCES
from ndis_verify.court.attack_checks import AttackRun
from ndis_verify.court.certificate_store import FOLDER, read
from ndis_verify.court.comparisons import Comparison
from ndis_verify.court.proof_checks import ProofRun
from ndis_verify.court.source_names import ROOT
from ndis_verify.court.statement_checks import PointsRun
from ndis_verify.report.check_rooms import FLOATS, columns_of, room_of, tree
from ndis_verify.report.claim_page import counts, derivations_of, proofs_of
from ndis_verify.report.matrix_blanks import few_digits, named_quantities, reason_of
from ndis_verify.report.places import Place, label_of, named, used_by

COLUMNS = ("derivation", "two routes", "certified", "float64", "peer", "notebook", "reference rows")
FEWEST = 9  # digits; fewer need a reason
_UNHEARD = "not run here"
ANSWERED_BY: Mapping[str, str] = {  # a quantity of statements: the one of the line protocol that asks for the same
    "mean_shift": "gaussian_hockey_stick",
    "projection": "rp_hockey_stick",
    "projection_insert": "rp_hockey_stick",
    "least_squares": "als_hockey_stick",
    "least_squares_insert": "als_hockey_stick",
    "sketch": "als_exact_hockey_stick",
    "sketch_insert": "als_exact_hockey_stick",
    "normal_pair": "hockey_stick",
    "independent": "hockey_stick",
    "centred": "hockey_stick",
    "centred_reverse": "hockey_stick",
    "quadratic_cdf": "generalized_chi2_cdf",
}
_EXACT = 40  # digits of the reference tables
_PRINTED = tuple(source for source in SOURCES if source not in ("PKG", "DATA"))
Heard = Mapping[tuple[str, str], Evidence]  # by claim and check


@dataclass(frozen=True)
class Cell:
    """What one route says of an item. `digits`: agreed, or asked for where nothing was run (`asked`); `check`: what
    was compared; `worst`: at which point they agree least, or what was found; `link`: a page of the site, or a file;
    `reason`: why it is blank, or why it has so few digits.
    """

    filled: bool
    digits: int | None = None
    count: int | None = None
    counted: str = ""
    check: str = ""
    worst: str = ""
    link: str = ""
    reason: str = ""
    asked: bool = False
    others: int = 0  # further checks of the same column

    @property
    def text(self) -> str:
        """One line: digits and points, or "-" where it is blank."""
        if not self.filled:
            return "-"
        digits = f"{'asks ' if self.asked else ''}{self.digits} digits" if self.digits is not None else ""
        counted = self.counted.removesuffix("s") if self.count == 1 else self.counted
        points = f"{self.count:,} {counted}" if self.count is not None else counted
        return ", ".join(part for part in (digits, points) if part)


@dataclass(frozen=True)
class Row:
    """One printed item: its claims, and a cell a column."""

    item: str
    claims: tuple[str, ...]
    verdict: str
    cells: Mapping[str, Cell]

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        cells = {name: asdict(cell) for name, cell in self.cells.items()}
        return {"item": self.item, "claims": list(self.claims), "verdict": self.verdict, "cells": cells}


def items(claims: Iterable[Claim]) -> dict[str, list[Claim]]:
    """The printed items by label, each with the claims that are made of it: as printed, corrected, halves of it."""
    printed = [claim for claim in claims if claim.source in _PRINTED]
    ids = [claim.id for claim in printed]
    found: dict[str, list[Claim]] = {}
    for claim in printed:
        whole = next((i for i in ids if claim.id.startswith(f"{i}-")), claim.id)
        found.setdefault(label_of(whole).partition(" (")[0].removesuffix("-corrected"), []).append(claim)
    return found


def matrix(claims: Sequence[Claim], heard: Heard | None = None) -> list[Row]:
    """A row an item, in the order of the ledger. `heard`: the evidence of checks that were run (`hearing`)."""
    return [_row(label, own, heard or {}) for label, own in items(claims).items()]


def compared(claims: Iterable[Claim]) -> list[tuple[Claim, Check]]:
    """The checks whose digits the matrix shows, searches and proofs apart."""
    found = [(claim, check) for own in items(claims).values() for claim in own for check in claim.checks]
    return [
        (claim, check)
        for claim, check in found
        if check.kind is not Kind.ATTACK and not isinstance(check.run, (AttackRun, ProofRun))
    ]


def hearing(claims: Iterable[Claim], progress: Callable[[int, int, str], None] = lambda *_: None) -> Heard:
    """What `compared` finds now, in the quick effort and without planted faults."""
    found = {}
    checks = compared(claims)
    for number, (claim, check) in enumerate(checks):
        progress(number, len(checks), f"{claim.id}: {check.name}")
        found[claim.id, check.name] = check.run("quick")
    return found


def unexplained(rows: Sequence[Row]) -> list[str]:
    """The cells that are blank, or have few digits, and do not say why."""
    return [
        f"{row.item}, {name}: {cell.text}"
        for row in rows
        for name, cell in row.cells.items()
        if not cell.reason and (not cell.filled or (cell.digits is not None and cell.digits < FEWEST))
    ]


def summary(rows: Sequence[Row]) -> str:
    """How many items each column speaks of, and how many are in all of them."""
    numbers = Counter(name for row in rows for name in COLUMNS if row.cells[name].filled)
    every = sum(all(row.cells[name].filled for name in COLUMNS) for row in rows)
    blank = sum(not cell.filled for row in rows for cell in row.cells.values())
    return (
        f"{len(rows)} printed items: "
        + ", ".join(f"{numbers[name]} {name}" for name in COLUMNS)
        + f"; {every} in every column; {blank} blanks, {len(unexplained(rows))} without a reason"
    )


def _row(label: str, claims: Sequence[Claim], heard: Heard) -> Row:
    own = [(claim, check) for claim in claims for check in claim.checks]
    columns = {(claim.id, check.name): columns_of(check) for claim, check in own}
    made: dict[str, Cell | None] = {"derivation": _derivation(claims)}
    for name in ("two routes", "certified", "float64"):
        cells = [
            _cell(claim, number, heard)
            for claim in claims
            for number, check in enumerate(claim.checks)
            if name in columns[claim.id, check.name]
        ]
        made[name] = _best([cell for cell in cells if name != "two routes" or _tells(cell)]) or _code(name, claims)
    quantities = {name for claim in claims for _, name in used_by(claim.id)}
    quantities |= {ANSWERED_BY[name] for name in named_quantities(claims) if name in ANSWERED_BY}
    made["peer"] = _peer(quantities)
    made["notebook"] = _notebook(claims)
    made["reference rows"] = _rows(claims, quantities)
    cells_of = {name: _explained(label, claims, name, made[name]) for name in COLUMNS}
    return Row(label, tuple(claim.id for claim in claims), claims[0].declared.value, cells_of)


def _explained(label: str, claims: Sequence[Claim], name: str, cell: Cell | None) -> Cell:
    if cell is None:
        return Cell(False, reason=reason_of(claims, name))
    if cell.digits is not None and cell.digits < FEWEST:
        return replace(cell, reason=few_digits(cell.check))
    return cell


def _cell(claim: Claim, number: int, heard: Heard) -> Cell:
    """A cell of one check: what was found of it, else what it asks for."""
    check = claim.checks[number]
    link = f"claims/{claim.id}.html#check-{number + 1}"
    found = heard.get((claim.id, check.name))
    if found is not None:
        digits = None if found.digits is None or check.kind is Kind.ATTACK else int(found.digits)
        return Cell(True, digits, found.count, found.counted, check.name, found.detail, link)
    run = check.run
    if isinstance(run, AttackRun):
        return _searched(run, check.name, link)
    asked = int(run.digits) if isinstance(run, (Comparison, PointsRun)) and run.digits else None
    return Cell(True, asked, None, _UNHEARD, check.name, "", link, asked=asked is not None)


def _searched(run: AttackRun, name: str, link: str) -> Cell:
    """A search: how many points were looked at, the worst of them if a certificate keeps it."""
    stored = run.stored_check()
    kept = read(FOLDER / f"{stored.name}.json") if stored else None
    if kept is None:
        return Cell(True, None, run.evaluations["quick"], "points searched", name, "", link)
    worst = min((entry["margin"] for entry in kept.content.get("dangerous", ())), default=None)
    found = "" if worst is None else f"least margin {worst:.2g}"
    return Cell(True, None, int(kept.content["evaluations"]), "points searched", name, found, link)


def _tells(cell: Cell) -> bool:
    """Whether two routes agree to digits: samples and rates are no second route to a number."""
    return cell.counted == _UNHEARD or (cell.digits is not None and cell.digits >= FEWEST)


def _best(cells: Sequence[Cell]) -> Cell | None:
    """The check that agrees to most digits, at most points."""
    if not cells:
        return None
    best = max(cells, key=lambda cell: (cell.digits if cell.digits is not None else -1, cell.count or 0))
    return replace(best, others=len(cells) - 1)


def _code(name: str, claims: Sequence[Claim]) -> Cell | None:
    """Code of the route that the item's claims call in a check of another kind."""
    rooms = {"two routes": {"oracle"}, "certified": {"certified"}, "float64": FLOATS}[name]
    for claim in claims:
        for path, there in sorted(used_by(claim.id)):
            if room_of((path, there)) in rooms:
                return Cell(True, counted="called", check=there, link=path.relative_to(ROOT.parent).as_posix())
    return None


def _derivation(claims: Sequence[Claim]) -> Cell | None:
    for claim in claims:
        if found := derivations_of(claim):
            numbers = counts(proofs_of(claim) or found)
            steps = sum(numbers.values())
            said = ", ".join(f"{n} {name}" for name, n in numbers.items() if n)
            return Cell(True, None, steps, "steps", found[0].title, said, f"claims/{claim.id}.html#derivation")
    return None


def _notebook(claims: Sequence[Claim]) -> Cell | None:
    places = [place for claim in claims for place in named(claim.id, ROOT, ("notebook", None, "notebooks/*.ipynb"))]
    if not places:
        return None
    most = max(places, key=_lines)
    return Cell(True, None, sum(map(_lines, places)), "lines", most.path.stem, link=f"notebooks/{most.path.name}")


def _lines(place: Place) -> int:
    return int(place.name.split()[0]) if place.name[:1].isdigit() else 1


def _rows(claims: Sequence[Claim], quantities: set[str]) -> Cell | None:
    """Rows of the tables that are of the item, else all rows of a quantity that its claims call."""
    ids = {claim.id for claim in claims}
    own = [(table, row) for table, rows in _tables().items() for row in rows if row.get("claim") in ids]
    if not own:
        own = [(table, row) for table, rows in _tables().items() if table in quantities for row in rows]
    if not own:
        return None
    table, worst = min(own, key=lambda entry: _digits(entry[1]))
    file = f"ndis_verify/reference/tables/{table}.json"
    return Cell(True, _digits(worst), len(own), "rows", table, str(worst["name"]), file)


def _digits(row: Mapping[str, Any]) -> int:
    """The digits of a row's value that its radius leaves."""
    value, radius = Decimal(row["value"]), Decimal(row["radius"])
    return value.adjusted() - radius.adjusted() if value and radius else _EXACT


@cache
def _tables() -> Mapping[str, list[dict[str, Any]]]:
    folder = ROOT / "reference" / "tables"
    found = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))}
    return {name: [row for row in data["rows"] if "radius" in row] for name, data in found.items() if "rows" in data}


def _peer(quantities: set[str]) -> Cell | None:
    """Published libraries whose adapter answers a quantity that the item's claims call."""
    for quantity in sorted(quantities & set(_tables())):
        if libraries := _answered().get(quantity):
            file = "ndis_verify/reference/adapters/peers.py"
            return Cell(True, None, len(libraries), "peers", quantity, ", ".join(libraries), file)
    return None


@cache
def _answered() -> Mapping[str, tuple[str, ...]]:
    """Which libraries answer which quantity: the names that stand as keys in the function that adapts each."""
    functions = {
        node.name: node
        for node in tree(ROOT / "reference" / "adapters" / "peers.py").body
        if isinstance(node, ast.FunctionDef) and node.returns and "Functions" in ast.unparse(node.returns)
    }
    found: dict[str, list[str]] = {}
    text = " ".join(map(ast.unparse, functions.values()))
    for name, node in functions.items():
        if text.count(f"{name}(") > 1:  # a part that several adapters share
            continue
        shared = [other for helper, other in functions.items() if f"{helper}(" in ast.unparse(node)]
        for quantity in {str(key) for one in (node, *shared) for key in _keys(one)} & set(_tables()):
            found.setdefault(quantity, []).append(name.strip("_").replace("_", "-"))
    return {quantity: tuple(sorted(names)) for quantity, names in found.items()}


def _keys(node: ast.FunctionDef) -> set[object]:
    tables = [part for part in ast.walk(node) if isinstance(part, ast.Dict)]
    return {key.value for table in tables for key in table.keys if isinstance(key, ast.Constant)}
