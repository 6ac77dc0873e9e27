"""`ndis-verify bench`: this package and its peers timed in one run."""

from ndis_verify.bench.run import add_arguments, main

__all__ = ["add_arguments", "main"]
