"""Speed and digits of this package beside other libraries, in one process: `ndis-verify bench`.

A library that is not installed is named as absent; a wrong, negative or missing answer is printed as one.
"""

from ndis_verify.bench.run import add_arguments, main, run_bench

__all__ = ["add_arguments", "main", "run_bench"]
