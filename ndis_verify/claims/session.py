"""One run of the court over many claims: in parallel or over a cluster, with a journal, interruptible."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

from ndis_verify.claim import Claim
from ndis_verify.claims.ledger import find
from ndis_verify.claims.own_claims import heard_as_json, in_court, load_claims, taken_up
from ndis_verify.court.certificate_store import FOLDER, certificates_in, keep, made_inside
from ndis_verify.court.hearing import Hearing
from ndis_verify.court.judge import Judgement, heard, judged
from ndis_verify.court.proofs_of_a_run import Told, all_builders, proved, told, told_by
from ndis_verify.exact_number import InputError
from ndis_verify.runs.identity import identity
from ndis_verify.runs.journal import Journal
from ndis_verify.runs.pool import resumed, unordered

_LONGEST = ("N26-Fig5-safe-side", "DATA-breast_cancer", "N26-D6-joint", "N24-6.3-gap", "N24-6.3-exact-law", "N24-Fig12")
_LONGEST_PROOFS = (
    "classical_gaussian_range.up_to_three",
    "two_paths.at_corner",
    "sketch_density.sketched_densities",
    "older_ridges.by_information",
    "chi_square_hinges.upper_expectation",
    "gaussian_calibration.no_pure_privacy",
    "logistic_pairs.logistic_worst",
    "least_squares_decomposition.eigenvalues_and_shift",
)
_PACKAGE = Path(__file__).resolve().parents[1]
_MANY = 100  # claims of which the proofs are decided first: those of few have little in common
_LOADED: dict[str, dict[str, Any]] = {}  # the claims of files by `_text_of`: every process runs a file once
Progress = Callable[[int, int, str], None]


def session_journal(path: Path, effort: str, certificates: Path = FOLDER, store: bool = False) -> Journal:
    """The journal of the evidence of a `verify`; what the quick effort finds may rest on `certificates`.

    store: the certificates that were made are in it too; without them there is nothing to take up.
    """
    run = identity("verify", effort, store, folder=certificates if effort == "quick" else None)
    return Journal(path, run, "verdicts", partial(_brought, store=store))


def _brought(claim_id: str, content: Any, store: bool) -> tuple[Hearing, dict[str, str]]:
    return Hearing.from_dict(find(claim_id), content), dict(content["certificates"]) if store else {}


def run_session(
    ids: list[str],
    effort: str,
    journal: Journal,
    jobs: int,
    progress: Progress,
    certificates: Path = FOLDER,
    store: bool = False,
    scheduler: str | None = None,
) -> list[Judgement]:
    """Judge `ids`, hearing those that the journal does not hold; the result is in the order of `ids`.

    The verdicts, the declared ones and whether they agree come from the ledger; the journal holds evidence only.
    `certificates`: the folder in which the quick effort looks for certificates and, with `store`, this process keeps
    those that the full one makes, wherever it makes them. `scheduler`: the address of a Dask cluster in place of `jobs`
    processes; a worker that finds other certificates than this process is refused.
    """
    rests_on = _state_of(certificates) if scheduler and effort == "quick" else ""
    folder = None if certificates == FOLDER else certificates  # a worker's package may lie elsewhere
    left = [i for i in ids if i not in journal.done]
    known = _decided_proofs(jobs) if jobs > 1 and scheduler is None and len(left) >= _MANY else None
    job = partial(_heard_by_id, effort=effort, certificates=folder, store=store, rests_on=rests_on, known=known)
    first = sorted(ids, key=lambda i: i not in _LONGEST)  # so that no process waits for a long one at the end
    judgements: dict[str, Judgement] = {}
    for i, (hearing, made) in resumed(
        journal, job, {i: i for i in first}, jobs, scheduler=scheduler, progress=progress
    ):
        keep(certificates, made)
        judgements[i] = judged(find(i), hearing)  # at once: the processes hear the next meanwhile
    return [judgements[i] for i in ids]


def _decided_proofs(jobs: int) -> Told:
    """Every derivation of the package, decided by one of the processes each."""
    waiting = sorted(all_builders(), key=lambda builder: str(builder) not in _LONGEST_PROOFS)
    return told_by(unordered(proved, waiting, jobs))


def _heard_by_id(
    claim_id: str, effort: str, certificates: Path | None, store: bool, rests_on: str = "", known: Told | None = None
) -> dict[str, Any]:
    folder = certificates or FOLDER
    if rests_on and _state_of(folder) != rests_on:
        raise InputError("--certificates", str(folder), "has other certificates than the process that asks")
    with told(known):
        if not store:
            with certificates_in(folder):
                return heard(find(claim_id), effort).as_dict()
        with made_inside() as made:
            hearing = heard(find(claim_id), effort).as_dict()
    return hearing | {"certificates": made}


@cache
def _state_of(folder: Path) -> str:
    """A hash of the sources and of the certificates in a folder."""
    return identity("certificates", folder=folder)


def run_file(
    path: str, effort: str, journal: Path, jobs: int, progress: Progress, scheduler: str | None = None
) -> tuple[dict[str, Claim], list[Judgement]]:
    """`own_claims.judge_file` by processes or over a cluster, whose workers load the same file at the same path.

    The journal is of the file, of the modules beside it and of those of packages in its folder, as they are; a verdict
    that is taken up is of the claim that the file states now. Every process runs the file once.
    """
    whole = Path(path).resolve()
    loaded = load_claims(whole)
    below = _loaded_below(whole.parent) if whole.suffix == ".py" else ()
    state = _text_of(whole, below)
    _LOADED[state] = loaded
    job = partial(_heard_of_file, path=whole, state=state, effort=effort, below=below)
    kept = Journal(
        journal,
        identity("verify", effort, state),
        "verdicts",
        lambda name, content: taken_up(name, loaded[name], content),
    )
    with kept:
        found = dict(resumed(kept, job, {name: name for name in loaded}, jobs, scheduler=scheduler, progress=progress))
    return in_court(found[name] for name in loaded)


def _heard_of_file(name: str, path: Path, state: str, effort: str, below: tuple[Path, ...] = ()) -> dict[str, Any]:
    """A claim of a file heard; refused where the file is another one than the process that asks has."""
    if state not in _LOADED:
        if _text_of(path, below) != state:
            raise InputError("FILE", str(path), "is another file here than where the run was started")
        _LOADED[state] = load_claims(path)
    return heard_as_json(name, _LOADED[state][name], effort)


def _text_of(path: Path, below: tuple[Path, ...] = ()) -> str:
    """A hash of a file of claims and, of one in Python, of the modules beside it and of those in `below`."""
    beside = path.parent.glob("*.py") if path.suffix == ".py" else ()
    files = sorted({file for file in (path, *beside, *below) if file.is_file()})
    return hashlib.sha256(repr([(str(file), file.read_bytes()) for file in files]).encode()).hexdigest()


def _loaded_below(folder: Path) -> tuple[Path, ...]:
    """The files of modules loaded from a folder, but for what is installed there and this package."""
    named = [file for module in list(sys.modules.values()) if (file := getattr(module, "__file__", None))]
    installed = (Path(sys.prefix).resolve(), _PACKAGE)
    found = [Path(file).resolve() for file in named]
    own = {file for file in found if file.is_relative_to(folder) and not any(map(file.is_relative_to, installed))}
    return tuple(sorted(own))
