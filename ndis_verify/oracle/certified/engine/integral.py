"""Arb's rigorous integration, from which no exception is lost.

An exception that a signal's handler raises while Arb calls back into Python (Ctrl-C, a caller's alarm, the limit on a
test's time) is swallowed there by python-flint 0.9, and what comes back is a finite ball of a small radius that does
not hold the integral. So no handler runs inside: signals that arrive are handed to their handlers when the integral is
done. What the integrand raises itself ends the integral with that exception.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from flint import acb, arb

Integrand = Callable[[acb, bool], acb]


def integral(integrand: Integrand, start: acb, end: acb, **options: Any) -> acb:
    """`acb.integral`, the same arguments: a ball that holds the integral, or an exception.

    integrand: `f(s, analytic)` in balls; not finite where it is not analytic and `analytic` is asked for. Raises what
    the integrand raises, and what the handlers of signals raise that came in the meantime.
    """
    raised: list[BaseException] = []

    def called(s: acb, analytic: bool) -> acb:
        if raised:
            return acb(arb.nan(), arb.nan())
        try:
            return integrand(s, analytic)
        except BaseException as error:
            raised.append(error)
            return acb(arb.nan(), arb.nan())

    with signals_deferred():
        found = acb.integral(called, start, end, **options)
    if raised:
        raise raised[0]
    return found


_inside = False  # of the main thread, the only one in which handlers run


@contextmanager
def signals_deferred() -> Iterator[None]:
    """Inside, signals that have a handler in Python wait; it runs at the end. The system's own actions are
    not touched.
    """
    global _inside
    if _inside or threading.current_thread() is not threading.main_thread():
        yield
        return
    before: dict[int, Callable[[int, FrameType | None], Any]] = {
        number: handler for number in signal.valid_signals() if callable(handler := signal.getsignal(number))
    }
    waiting: list[int] = []

    def wait(number: int, frame: FrameType | None) -> None:
        if _inside:
            waiting.append(number)
        else:  # where an exception came between the end of the integral and the handler's return to its place
            before[number](number, frame)

    _inside = True
    try:
        for number in before:
            signal.signal(number, wait)
        yield
    finally:
        mask = _blocked(before)  # so that no handler runs, and raises, before all are in their places
        for number, handler in before.items():
            signal.signal(number, handler)
        _inside = False
        try:
            _deliver(list(dict.fromkeys(waiting)))
        finally:
            if mask is not None:
                signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _blocked(numbers: Iterable[int]) -> set[int | signal.Signals] | None:
    """Blocks the signals for this thread; the mask before, None where the system (not POSIX) has none."""
    return signal.pthread_sigmask(signal.SIG_BLOCK, numbers) if hasattr(signal, "pthread_sigmask") else None


def _deliver(waiting: list[int]) -> None:
    """Runs the handlers of all of them, though one raises."""
    if waiting:
        try:
            handler = signal.getsignal(waiting[0])
            if callable(handler):
                handler(waiting[0], None)
        finally:
            _deliver(waiting[1:])
