"""`python -m ndis_verify` is `ndis-verify`: the door of the program, which an interrupt closes without a word.

What is imported here takes some tenths of a second in which nothing has begun; an interrupt ends the process as the
signal does. From `start` on `cli.main` says that it was interrupted.
"""

import signal
import sys

_OURS = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # a run in the background ignores it
if _OURS:
    signal.signal(signal.SIGINT, signal.SIG_DFL)

from ndis_verify.cli import interrupted, main  # noqa: E402  # after the door


def start() -> int:
    """Run one command; returns the exit code."""
    try:
        if _OURS:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        return main()
    except KeyboardInterrupt:  # between this door and the one of `main`, or after it
        return interrupted()
    finally:
        if _OURS:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # Python's own end has nothing to say


if __name__ == "__main__":
    sys.exit(start())
