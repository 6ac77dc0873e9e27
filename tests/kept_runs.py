"""Every kind of kept record: the run of each, small, with a `step` in every part of its work."""

from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
from flint import arb

from ndis_verify.claim import Check, Claim, Evidence, Kind, Outcome, Verdict
from ndis_verify.claims import ledger, session
from ndis_verify.cli import main
from ndis_verify.commands import audit_study
from ndis_verify.court import certify
from ndis_verify.court.attack import Problem, attack_problem
from ndis_verify.court.certify_box import axis
from ndis_verify.court.domain import Domain, continuous
from ndis_verify.experiments import Experiment, Finding
from ndis_verify.experiments import run as run_experiment
from ndis_verify.experiments.framework import run_journal
from ndis_verify.hunts import blocks as hunts
from ndis_verify.hunts.hunt import HuntRecord
from ndis_verify.reference import build as building
from ndis_verify.reference.conformance.judge import Judgement
from ndis_verify.reference.conformance.run import Run
from ndis_verify.reference.conformance.run import _journal as conformance_journal
from ndis_verify.reference.families import all_rows
from ndis_verify.runs.journal import Journal


@contextmanager
def kept(path, run="run", **options):
    """A journal that stays when it is left."""
    with Journal(path, run, **options) as journal:
        yield journal
        journal.kept = True


# --- every kind of kept record: the run of each, small, with a `step` in every part of its work

PACE = [lambda share=1.0: None]  # the step of a function that a journal is of: held by it, another one starts over


def toy_ledger(monkeypatch, step):
    """Claims A to D; C is not as declared."""

    def claim(name, declared=Verdict.PROVED):
        def run(effort):
            step()
            return Evidence(Outcome.HELD, "route", f"detail of {name}", digits=12, count=3)

        faults = {"planted": lambda effort: Evidence(Outcome.FAILED, "route", "found")}
        return Claim(
            name,
            "OWN",
            f"title of {name}",
            "statement",
            declared,
            (Check(f"check of {name}", Kind.PROOF, run, faults),),
        )

    claims = {name: claim(name) for name in "ABD"} | {"C": claim("C", Verdict.SUPPORTED)}
    monkeypatch.setattr(ledger, "find", claims.__getitem__)
    monkeypatch.setattr(session, "find", claims.__getitem__)


def verify(folder, step, monkeypatch):
    toy_ledger(monkeypatch, step)
    return main(["verify", *"ABCD", "--jobs", "1", "--output", str(folder)])


def an_attack(folder, step, monkeypatch):
    PACE[0] = step

    def margin(x, y):
        PACE[0](0.01)
        return 2 + np.sin(9 * x) * np.cos(7 * y)

    problem = Problem("claim", margin, Domain((continuous("x", -1, 1), continuous("y", -1, 1))))
    return attack_problem(problem, evaluations=4000, journal=folder / "j.jsonl")


def branch_and_bound(folder, step, monkeypatch):
    PACE[0] = step

    def hill(x):
        PACE[0](0.2)
        return 1 + arb(10) ** -4 - (x - arb("0.3")) ** 2 * 4 + (x - arb("0.3")) ** 2 * 4

    monkeypatch.setattr(certify, "_JOURNAL_SECONDS", -1.0)
    return certify.certify_nonnegative(hill, [axis("x", 0, 1)], journal=folder / "j.jsonl", name="hill")


def hunt(folder, step, monkeypatch):
    def hunted(block):
        step()
        wastes = {"least_waste": 1e-13, "largest_waste": 1e-9, "largest_waste_float64": 1e-9}
        counts = {"points": block.points, "free": 0, "certified": 1, "unsafe": 0, "undecided": 0}
        return HuntRecord(
            family=block.family,
            seed=[block.seed, block.number],
            worst={"epsilon": 0.25},
            seconds=0.5,
            **counts,
            **wastes,
        )

    monkeypatch.setattr(hunts, "hunted", hunted)
    return hunts.run(hunts.blocks(["gaussian mechanism"], 4000, 4, 0), folder / "j.jsonl", 1)


def experiment(folder, step, monkeypatch):
    PACE[0] = step

    def measure(cell, rng, table):
        PACE[0]()
        return [{"k": cell["k"], "draw": rng.standard_normal()}]

    toy = Experiment(
        "toy",
        "A toy",
        ("X",),
        "none",
        lambda size, table: [{"k": k} for k in range(6)],
        measure,
        lambda rows: [Finding("six rows", len(rows) == 6)],
    )
    with run_journal(folder / "j.jsonl", toy, "quick", 3, None) as journal:
        return run_experiment(toy, seed=3, journal=journal)


def study(folder, step, monkeypatch):
    def block(part, methods, **options):
        step()
        return {
            method: {"runs": part.runs, "above": 1, "sum": 0.5, "squares": 0.25, "infinite": 0} for method in methods
        }

    monkeypatch.setattr(audit_study, "_block", block)
    options = ["--cases", "identical normal", "--sizes", "100", "--runs", "1200", "--json"]
    return main(["audit", "study", *options, "--output", str(folder)])


def build(folder, step, monkeypatch):
    quantity = "gaussian_hockey_stick"
    rows = [row for row in all_rows()[quantity] if row.refusal is None][:5]

    def computed(row):
        step()
        return building.finished(row, {"value": "0.5", "radius": "0", "basis": "bound", "second": "0.5"})

    monkeypatch.setattr(building, "all_rows", lambda: {quantity: rows})
    monkeypatch.setattr(building, "computed", computed)
    return building.build(folder)


def conformance(folder, step, monkeypatch):
    unsafe = Judgement("gaussian_std", "row", ("flag",), "unsafe", "too small", "0.5", -1e-3, float("inf"), 0.25)
    verdicts = [replace(unsafe, row=f"row {k}") for k in range(5)]
    with conformance_journal(folder / "conformance.jsonl", Run(("an", "implementation"), tolerance="1e-9")) as journal:
        for verdict in verdicts:
            step()
            journal.append(verdict.key, {**vars(verdict)})
    return verdicts


KINDS = {
    kind.__name__: kind for kind in (verify, an_attack, branch_and_bound, hunt, experiment, study, build, conformance)
}


def nothing(*seconds):
    pass


def gone(pid):
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    return True
