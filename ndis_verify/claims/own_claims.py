"""Claims of your own: written in about 20 lines of Python, put through the same machinery as the ledger.

    from ndis_verify.claims.own_claims import continuous, relative_margin, universal_claim
    from ndis_verify.fast import Spectrum, hockey_stick

    def margin(ratio, epsilon):                      # >= 0 exactly where the claim holds; arrays in, array out
        ...

    MY_CLAIM = universal_claim(
        "the name of the claim", "the statement in words", margin,
        [continuous("ratio", "1e-6", "1e6", "log"), continuous("epsilon", 0, 10)],
        mutants={"a false version": false_margin},
    )

`ndis-verify attack my_claims.py:MY_CLAIM` searches for a violation; `ndis-verify verify my_claims.py` puts every claim
of the file before the court. examples/my_claims.py is a worked example. Loading a file runs it: load your own only.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product
from pathlib import Path
from typing import Any

from ndis_verify.claim import Check, Claim, Verdict
from ndis_verify.court.attack import Problem, enclosed_difference, enclosure_of, log_margin, relative_margin
from ndis_verify.court.attack_checks import (
    FULL_EVALUATIONS,
    QUICK_EVALUATIONS,
    attack_check,
    counterexample_check,
    negated,
    refutation_check,
)
from ndis_verify.court.certify_box import Box, axis
from ndis_verify.court.certify_checks import BoxRun, certified_box_check
from ndis_verify.court.domain import Condition, Domain, Parameter, Point, choice, continuous, integer, stacked, vector
from ndis_verify.court.hearing import Hearing
from ndis_verify.court.judge import Judgement, heard, judged
from ndis_verify.court.statement_settle import Ending, settle, settled_claim
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import InputError
from ndis_verify.runs.files import read_regular
from ndis_verify.statements.json_form import from_json, to_json
from ndis_verify.statements.statement import Statement

__all__ = [
    "Condition",
    "attack_check",
    "axis",
    "certified_box_check",
    "choice",
    "continuous",
    "counterexample_check",
    "enclosed_difference",
    "enclosure_of",
    "integer",
    "judge_file",
    "load_claims",
    "log_margin",
    "refutation_check",
    "relative_margin",
    "settle",
    "stacked",
    "universal_claim",
    "vector",
]

SOURCE = "OWN"
MAX_BYTES = 2**20  # of a statement in JSON
SUFFIXES = (".py", ".json")


@dataclass(frozen=True)
class UniversalClaim:
    """A claim as the court takes it, and the problem that is attacked."""

    claim: Claim
    problem: Problem


def universal_claim(
    title: str,
    statement: str,
    margin: Callable[..., Any],
    parameters: Iterable[Parameter],
    *,
    mutants: Mapping[str, Callable[..., Any]],
    declared: str = "supported",
    certify: Callable[[Point], Enclosure] | None = None,
    counterexample: Mapping[str, Any] | None = None,
    constraints: Iterable[Condition] = (),
    hypotheses: Iterable[Condition] = (),
    checks: Iterable[Check] = (),
    quick: int = QUICK_EVALUATIONS,
    full: int = FULL_EVALUATIONS,
    **problem: Any,
) -> UniversalClaim:
    """A statement for all parameters of a domain, ready for `attack` and `verify`.

    margin: >= 0 exactly where the statement holds; takes the parameters by keyword as float arrays and returns an array
    (or scalars with `vectorised=False`). Make it relative where values are small: `relative_margin(larger, smaller)`.
    parameters: from `continuous`, `integer`, `choice`, `vector`. constraints cut the box down, hypotheses must hold at
    every point that is left (`Condition(text, predicate)`). certify(point): encloses the margin at exact values, for
    instance `enclosed_difference` of two values of `ndis_verify.oracle.certified`.
    declared "supported": an attack finds nothing, and each of `mutants`, margins of false statements, is found
    violated. declared "refuted": the search finds a violation and `certify` proves its sign, and so it does at
    `counterexample` where one is given; `mutants` are then margins of true statements (a corrected one): the search
    must find nothing. Other verdicts: `checks` from `certified_box_check` and others are added; other keywords as in
    `attack.Problem` (tolerance, branches, confirm, starts, vectorised). Declared "certified": the boxes of those checks
    together cover the ranges of the parameters, by the same names; that their functions are the margin is not decided.
    """
    try:
        verdict = Verdict(declared)
    except ValueError:
        raise InputError("declared", declared, f"must be one of {', '.join(v.value for v in Verdict)}") from None
    if not mutants:
        raise InputError("mutants", mutants, "must plant at least one fault: a check that cannot fail shows nothing")
    domain = Domain(tuple(parameters), tuple(constraints), tuple(hypotheses))
    checks = tuple(checks)
    if verdict is Verdict.CERTIFIED:
        _require_covered(domain, [check.run.box for check in checks if isinstance(check.run, BoxRun)])
    attacked = Problem(title, margin, domain, certify=certify, **problem)
    options = {"quick": quick, "full": full, **problem}
    if verdict in (Verdict.REFUTED, Verdict.RESTRICTED):
        first = _refutations(title, attacked, mutants, counterexample, options)
    else:
        first = [attack_check(title, margin, domain, mutants=mutants, certify=certify, **options)]
    claim = Claim(
        id=title,
        source=SOURCE,
        title=title,
        statement=statement,
        declared=verdict,
        checks=(*first, *checks),
        hypotheses=domain.lines(),
        counterexample=", ".join(f"{name} = {value}" for name, value in counterexample.items())
        if counterexample
        else None,
    )
    return UniversalClaim(claim, attacked)


def _require_covered(domain: Domain, boxes: Sequence[Box]) -> None:
    """That boxes cover the ranges of a domain, its constraints left aside."""
    ranges = {p.name: (p.low, p.high) for p in domain.parameters if p.kind != "choice"}
    named = [{a.name: (a.low, a.high) for a in box} for box in boxes]
    ends = {
        name: {low, high, *(end for box in named for end in box.get(name, ()))} for name, (low, high) in ranges.items()
    }
    cuts = {name: sorted(x for x in ends[name] if low <= x <= high) for name, (low, high) in ranges.items()}
    pieces = [list(pairwise(cut)) or [(cut[0], cut[0])] for cut in cuts.values()]
    for cell in product(*pieces):
        piece = dict(zip(cuts, cell, strict=True))
        if not any(
            set(box) == set(ranges) and all(box[n][0] <= low and high <= box[n][1] for n, (low, high) in piece.items())
            for box in named
        ):
            boxed = "; ".join(" x ".join(map(str, box)) for box in boxes) or "no box"
            rule = f"must certify boxes that cover {', '.join(map(str, domain.parameters))}"
            raise InputError("checks", boxed, rule)


def _refutations(title: str, attacked: Problem, mutants, counterexample, options) -> list[Check]:
    if attacked.certify is None:
        raise InputError(
            "certify", None, "must be given for a claim declared refuted or restricted: only a certified sign refutes"
        )
    found = refutation_check(
        f"{title}: search", attacked.margin, attacked.domain, certify=attacked.certify, mutants=mutants, **options
    )
    if counterexample is None:
        return [found]
    turned = {"the sign of the violation turned": attacked.certify}
    at_point = counterexample_check(title, negated(attacked.certify), counterexample, turned, domain=attacked.domain)
    return [at_point, found]


def load_claims(path: str | Path) -> dict[str, UniversalClaim | Claim | Statement]:
    """The claims of a file by the names they are bound to, which become their ids, in order.

    A Python file is run: load your own only. A JSON file holds one statement as `statements.json_form.to_json` writes
    it; it is read node by node, and nothing in it is run. Raises `InputError`: no such file, neither .py nor .json, an
    error while it runs (with its line), no claim in it.
    """
    path = Path(path)
    if path.suffix not in SUFFIXES or not path.is_file():
        raise InputError("FILE", str(path), "must be an existing file, named .py or .json")
    if path.suffix == ".json":
        return {path.stem: from_json(read_regular(path, MAX_BYTES, argument="FILE").decode("utf-8", "replace"))}
    module = _run_file(path)
    kinds = (UniversalClaim, Claim, Statement)
    found = {name: value for name, value in vars(module).items() if isinstance(value, kinds)}
    if not found:
        raise InputError("FILE", str(path), "defines no claim and no statement at its top level; see `universal_claim`")
    named = {
        n: replace(v, claim=replace(v.claim, id=n)) if isinstance(v, UniversalClaim) else v for n, v in found.items()
    }
    ids = [n if isinstance(v, Statement) else as_claim(v).id for n, v in named.items()]
    doubled = sorted({i for i in ids if ids.count(i) > 1})
    if doubled:
        raise InputError("FILE", str(path), f"two claims have the id {doubled[0]!r}")
    return named


def _run_file(path: Path) -> Any:
    name = f"_own_claims_of_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise InputError("FILE", str(path), "must be a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and others look their module up
    sys.path.insert(0, str(path.resolve().parent))  # as `python my_claims.py` does
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # a file that ends the process has no verdict
        line = _line_in(error, path)
        raise InputError("FILE", str(path), f"line {line}: {type(error).__name__}: {error}") from error
    finally:
        sys.path.remove(str(path.resolve().parent))
        sys.modules.pop(name, None)
    return module


def _line_in(error: BaseException, path: Path) -> int | str:
    """The last line of the file that took part in the error."""
    if isinstance(error, SyntaxError):
        return error.lineno or "?"
    line: int | str = "?"
    trace = error.__traceback__
    while trace is not None:
        if Path(trace.tb_frame.f_code.co_filename).name == path.name:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def as_claim(value: UniversalClaim | Claim) -> Claim:
    """The record that the court takes."""
    return value.claim if isinstance(value, UniversalClaim) else value


def problems(target: str) -> list[Problem | Statement]:
    """What `ndis-verify attack TARGET` attacks: `FILE:NAME`, every claim of `FILE`, or an id of the ledger."""
    file, separator, name = target.rpartition(":")
    if not separator and target.endswith(SUFFIXES):
        file, name = target, ""
    if not file.endswith(SUFFIXES):
        from ndis_verify.claims.ledger import find

        return list(_attacked(find(target)))
    claims = load_claims(file)
    if name and name not in claims:
        raise InputError("NAME", name, f"is not a claim of {Path(file).name}, which has {', '.join(claims)}")
    chosen = [claims[name]] if name else list(claims.values())
    return [found for value in chosen for found in _attacked(value)]


def _attacked(value: UniversalClaim | Claim | Statement) -> Sequence[Problem | Statement]:
    from ndis_verify.claims.attack_index import problems_of

    if isinstance(value, Statement):
        return [value]
    return [value.problem] if isinstance(value, UniversalClaim) else problems_of(value)


def judge_file(
    path: str | Path, effort: str = "quick", progress: Callable[[int, int, str], None] = lambda done, total, label: None
) -> tuple[dict[str, Claim], list[Judgement]]:
    """Every claim of a file put before the court: the records by id, and the judgements in the file's order.

    A statement declares no verdict: it is settled first, within `statement_settle.DEFAULT_SECONDS`.
    """
    loaded = load_claims(path)
    found: list[tuple[Claim, Hearing]] = []
    for name, value in loaded.items():
        progress(len(found), len(loaded), name)
        found.append(taken_up(name, value, heard_as_json(name, value, effort)))
    progress(len(loaded), len(loaded), "")
    return in_court(found)


def in_court(found: Iterable[tuple[Claim, Hearing]]) -> tuple[dict[str, Claim], list[Judgement]]:
    """The records by id, and the judgements, of claims that were heard."""
    pairs = list(found)
    return {claim.id: claim for claim, _ in pairs}, [judged(claim, hearing) for claim, hearing in pairs]


def heard_as_json(name: str, value: UniversalClaim | Claim | Statement, effort: str) -> dict[str, Any]:
    """What a claim of a file says, its evidence, and how it ended if it is a statement: what a journal keeps."""
    kept = {"said": _said(value), "ending": None}
    if isinstance(value, Statement):
        ending = _ended(value)
        return {**kept, "ending": ending.kept(), "hearing": heard(settled_claim(name, ending), effort).as_dict()}
    return {**kept, "hearing": heard(as_claim(value), effort).as_dict()}


def _ended(statement: Statement) -> Ending:
    """How a statement ends; one that cannot be settled is undecided, and the run goes on to the next."""
    try:
        return settle(statement)
    except Exception as error:  # nothing to search, or an error in the search
        return Ending(statement, "undecided", f"not settled: {type(error).__name__}: {error}", None)


def _said(value: UniversalClaim | Claim | Statement) -> Any:
    """What is stated, exactly: a verdict is of this and of nothing else."""
    if isinstance(value, Statement):
        return to_json(value)
    claim = as_claim(value)
    said = [claim.statement, claim.declared.value, *claim.hypotheses]
    return [*said, claim.stated and to_json(claim.stated)]


def taken_up(name: str, value: UniversalClaim | Claim | Statement, content: Any) -> tuple[Claim, Hearing]:
    """The claim and its evidence from `heard_as_json`. ValueError, TypeError or KeyError where they are none of it."""
    if content["said"] != _said(value):
        raise ValueError(f"{name}: the verdict of another statement")
    if isinstance(value, Statement):
        claim = settled_claim(name, Ending.taken_up(value, content["ending"]))
    else:
        claim = as_claim(value)
    return claim, Hearing.from_dict(claim, content["hearing"])
