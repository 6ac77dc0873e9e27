"""What `python -m ndis_verify ...` prints and returns, in this process: a start of Python costs more than most
commands.
"""

import contextlib
import io
from types import SimpleNamespace

from ndis_verify.cli import main


def run(*arguments, cwd="."):
    """The exit code and both outputs; an exception that would be a traceback goes through."""
    out, err = io.StringIO(), io.StringIO()
    try:
        with contextlib.chdir(cwd), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(arguments)
    except SystemExit as end:  # argparse
        code = end.code
    return SimpleNamespace(returncode=code or 0, stdout=out.getvalue(), stderr=err.getvalue())
