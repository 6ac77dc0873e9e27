"""The verbs of the command line, each a module beside this one."""

from __future__ import annotations

import argparse
from importlib import import_module
from types import ModuleType

VERBS = {
    "verify": "recompute the ledger's verdicts",
    "claims": "list the ledger",
    "show": "one claim: statement, verdict, proof step by step, evidence",
    "site": "write the ledger as pages to read in a browser",
    "matrix": "every printed item against the routes that speak of it",
    "attack": "hunt a violation of a claim",
    "experiment": "rerun an experiment of the sources",
    "forensics": "which privacy the printed noise of a table delivers",
    "delta": "hockey-stick divergence of a pair at epsilon",
    "epsilon": "smallest epsilon at which the divergence of a pair is at most delta",
    "audit": "what output laws, or samples of scores, prove about the privacy of a mechanism",
    "eval": "answer requests, one JSON object per line, on standard input and output",
    "reference": "reference tables: build, check, show, query, export",
    "conform": "hold an implementation in any language to the reference tables",
    "check-adapter": "a handful of rows with explanations, to debug an adapter",
    "bench": "time this package and its peers in one run",
    "where": "find a claim, a function or a subject in the sources",
    "completion": "what a shell needs to complete verbs, flags and ids",
}


def module_of(verb: str) -> ModuleType:
    """The module of a verb: `add_arguments` fills its parser, `main` runs it."""
    return import_module(f"ndis_verify.commands.{verb.replace('-', '_')}")


def flags_of(verb: str) -> list[str]:
    """The flags that a verb takes, in the order of its help."""
    command = argparse.ArgumentParser(add_help=False)
    module_of(verb).add_arguments(command)
    return [flag for action in command._actions for flag in action.option_strings if flag.startswith("--")]
