"""No exception is lost inside Arb's integration: a value is right, or there is none."""

import random
import signal
import threading

import pytest
from flint import acb, arb

from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.oracle.certified.engine import hyperbola, laplace
from ndis_verify.oracle.certified.engine.integral import integral, signals_deferred
from ndis_verify.oracle.certified.hockey_stick import hockey_stick
from ndis_verify.oracle.certified.least_squares.finite_law import als_exact_hockey_stick


class Late(Exception):
    pass


@pytest.fixture
def handlers():
    """Handlers of three signals that raise (SIGALRM is the limit on a test's time), which every test leaves
    in place.
    """
    numbers = (signal.SIGVTALRM, signal.SIGUSR1, signal.SIGINT)

    def late(number, frame):
        raise Late(number)

    before = {number: signal.signal(number, late) for number in numbers}
    yield late
    assert all(signal.getsignal(number) is late for number in numbers)
    for number, handler in before.items():
        signal.signal(number, handler)


def exponential(s, analytic):
    return s.exp()


@pytest.mark.parametrize("call", [1, 2, 7, 15])
@pytest.mark.parametrize("number", [signal.SIGVTALRM, signal.SIGINT])
def test_a_signal_in_the_middle_of_an_integral_reaches_its_handler(handlers, call, number):
    calls = []

    def interrupted(s, analytic):
        calls.append(s)
        if len(calls) == call:
            signal.raise_signal(number)
        return s.exp()

    with pytest.raises(Late, match=str(int(number))):
        integral(interrupted, acb(0), acb(1))
    assert len(calls) > call


@pytest.mark.parametrize("call", [1, 3, 40])
@pytest.mark.parametrize("route", ["trapezoid", "polygon"])
def test_a_divergence_is_not_returned_after_an_alarm(handlers, monkeypatch, call, route):
    pair = GaussianPair([0, 0], [[2, 1], [1, 3]], [1, 1], [[1, 0], [0, 1]])
    true, calls = hockey_stick(pair, 1, digits=15), []
    if route == "polygon":
        monkeypatch.setattr(laplace, "trapezoid", lambda *given: None)
    place, name = (laplace, "value") if route == "polygon" else (hyperbola, "product")
    integrand = getattr(place, name)

    def interrupted(*given):
        calls.append(given)
        if len(calls) == call:
            signal.raise_signal(signal.SIGVTALRM)
        return integrand(*given)

    monkeypatch.setattr(place, name, interrupted)
    with pytest.raises(Late):
        hockey_stick(pair, 1, digits=15)
    assert abs(hockey_stick(pair, 1, digits=15).mid - true.mid) <= 2 * true.rad


def test_values_beside_a_clock_are_right_or_not_there(handlers):
    """Alarms at random moments, in two curves that integrate."""
    draw = random.Random(5)
    curves = [
        lambda: hockey_stick(GaussianPair([0, 0], [[2, 1], [1, 3]], [1, 1], [[1, 0], [0, 1]]), 1, digits=15),
        lambda: als_exact_hockey_stick("0.25", "0.5", 2, 5, "0.5", "delete", 15),
    ]
    right = [curve() for curve in curves]
    for k in range(60):
        found = None
        try:
            signal.setitimer(signal.ITIMER_VIRTUAL, 10 ** draw.uniform(-3.5, -1.5))
            found = curves[k % 2]()
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        except Late:
            pass
        assert found is None or abs(found.mid - right[k % 2].mid) <= found.rad + right[k % 2].rad


def test_what_an_integrand_raises_comes_through_at_any_call():
    for last in (1, 2, 5, 15):
        calls = []

        def failing(s, analytic):
            calls.append(s)
            if len(calls) == last:
                raise ZeroDivisionError(f"call {last}")
            return s.exp()

        with pytest.raises(ZeroDivisionError, match=f"call {last}$"):
            integral(failing, acb(0), acb(1))


def test_every_signal_that_waited_is_delivered_though_the_first_raises(handlers):
    came = []

    def noted(number, frame):
        came.append(number)
        raise Late(number)

    for number in (signal.SIGVTALRM, signal.SIGUSR1):
        signal.signal(number, noted)
    with pytest.raises(Late) as first, signals_deferred():
        signal.raise_signal(signal.SIGVTALRM)
        signal.raise_signal(signal.SIGUSR1)
        assert came == []
    assert came == [signal.SIGVTALRM, signal.SIGUSR1] and isinstance(first.value.__context__, Late)
    assert all(signal.getsignal(number) is noted for number in (signal.SIGVTALRM, signal.SIGUSR1))
    for number in (signal.SIGVTALRM, signal.SIGUSR1):
        signal.signal(number, handlers)


def test_signals_that_are_left_to_the_system_are_not_touched():
    before = signal.signal(signal.SIGVTALRM, signal.SIG_DFL)
    try:
        with signals_deferred():
            assert signal.getsignal(signal.SIGVTALRM) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGVTALRM, before)


def test_other_threads_integrate_as_well():
    found = []
    thread = threading.Thread(target=lambda: found.append(integral(exponential, acb(0), acb(1))))
    thread.start()
    thread.join()
    assert found[0].real.overlaps(arb(1).exp() - 1)
