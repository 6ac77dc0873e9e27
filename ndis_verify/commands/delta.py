"""`ndis-verify delta`: the hockey-stick divergence of a pair at epsilon."""

import argparse

from ndis_verify.commands import value
from ndis_verify.commands.value import main

__all__ = ["add_arguments", "main"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of the verb."""
    value.add_arguments(parser, "delta")
