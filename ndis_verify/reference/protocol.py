"""The line protocol: one JSON request per line in, one JSON answer per line out, numbers as decimal strings.

    {"id": 7, "quantity": "hockey_stick", "inputs": {...}, "digits": 30}
    {"id": 7, "value": "0.0861...", "radius": "1e-31", "basis": "bound"}
    {"id": 8, "error": {"kind": "domain", "argument": "cov_p", "message": "..."}}

A conversation may open with `{"id": ..., "command": "start", "protocol": "1.0"}`, answered with the name, the version
and the quantities of the implementation, and may end with `{"id": ..., "command": "stop"}`.

Requests are untrusted: nothing in them is evaluated, sizes and times are limited (`bounded`), and one bad line never
stops the next. Error kinds: parse, request, type, quantity, size, domain, precision, time, internal. A value is a
finite decimal: where it is infinite, in whichever engine, the answer is a domain error that names the input that makes
it so.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ndis_verify import __version__
from ndis_verify.exact_number import InputError
from ndis_verify.reference.quantities import QUANTITIES, Answer, Quantity

PROTOCOL = "1.0"
MAX_DIGITS = 1000
MAX_ID = 1000
_SHORT_INTEGER = 600  # digits that Python reads as an integer whatever limit it was given
DEFAULT_DIGITS = 30
Engine = Mapping[str, Callable[..., Answer]]


class ProtocolError(Exception):
    """A request that gets an error object; `kind` is one of those listed in the module's docstring."""

    def __init__(self, kind: str, message: str, argument: str | None = None, request_id: Any = None):
        super().__init__(message)
        self.kind = kind
        self.argument = argument
        self.request_id = request_id

    def as_dict(self) -> dict[str, Any]:
        return {"id": self.request_id, "error": {"kind": self.kind, "argument": self.argument, "message": str(self)}}


_NOT_FINITE = {
    "inf": ("domain", "the value is infinite there"),
    "-inf": ("domain", "the value is minus infinity there"),
    "nan": ("precision", "this engine finds no number there"),
}


@dataclass(frozen=True)
class Request:
    """A well-formed request: known quantity, inputs of the declared names and shapes."""

    id: Any
    quantity: Quantity
    inputs: dict[str, Any]
    digits: int


def answer_line(
    line: bytes | str, engine: Engine, seen: Callable[[str | int | None], None] = lambda request_id: None
) -> dict[str, Any]:
    """The answer to one request line; every failure becomes an error object. `seen` is told its id before any work."""
    request_id = None
    try:
        data = _parsed(line)
        seen(request_id := _known_id(data.get("id")))
        if "command" in data:
            return _conversation(data, engine)
        return _evaluate(_request(data), engine)
    except ProtocolError as error:
        return error.as_dict()
    except MemoryError:
        return ProtocolError("size", "the request needs more memory than it may take", None, request_id).as_dict()
    except Exception as error:  # the stream must survive whatever a request does
        return ProtocolError("internal", f"{type(error).__name__}: {_first_line(error)}", None, request_id).as_dict()


def _parsed(line: bytes | str) -> dict[str, Any]:
    try:
        data = json.loads(
            line,
            parse_int=_integer,
            parse_float=_BareNumber,
            parse_constant=_BareNumber,
            object_pairs_hook=_no_doubles,
        )
    except ProtocolError:
        raise
    except (ValueError, RecursionError) as error:
        raise ProtocolError("parse", f"not a JSON request: {_first_line(error)}") from None
    if not isinstance(data, dict):
        raise ProtocolError("request", "a request must be a JSON object")
    return data


def _request(data: dict[str, Any]) -> Request:
    request_id = data.get("id")
    try:
        return _checked(data, request_id)
    except ProtocolError as error:
        error.request_id = _known_id(request_id)
        raise


def _known_id(request_id: Any) -> str | int | None:
    short = isinstance(request_id, (str, int)) and not isinstance(request_id, bool) and len(str(request_id)) <= MAX_ID
    return request_id if short else None


def _conversation(data: dict[str, Any], engine: Engine) -> dict[str, Any]:
    """The answer to a start or a stop request."""
    request_id = _known_id(data.get("id"))
    if data["command"] == "stop":
        return {"id": request_id, "protocol": PROTOCOL, "stopped": True}
    if data["command"] != "start":
        raise ProtocolError("request", "must be start or stop", "command", request_id)
    asked = data.get("protocol")
    if not isinstance(asked, str) or asked.partition(".")[0] != PROTOCOL.partition(".")[0]:
        raise ProtocolError("request", f"must be a version of protocol {PROTOCOL}", "protocol", request_id)
    return {
        "id": request_id,
        "protocol": PROTOCOL,
        "name": "ndis_verify",
        "version": __version__,
        "quantities": sorted(engine),
    }


def _checked(data: dict[str, Any], request_id: Any) -> Request:
    if isinstance(request_id, bool) or not isinstance(request_id, (str, int, type(None))):
        raise ProtocolError("type", "must be a string, an integer or absent", "id")
    if len(str(request_id)) > MAX_ID:
        raise ProtocolError("size", f"must have at most {MAX_ID} characters", "id")
    unknown = sorted(set(data) - {"id", "quantity", "inputs", "digits"})
    if unknown:
        raise ProtocolError("request", "unknown field; a request has id, quantity, inputs and digits", unknown[0])
    name = data.get("quantity")
    if not isinstance(name, str) or name not in QUANTITIES:
        raise ProtocolError("quantity", f"unknown quantity; known: {', '.join(sorted(QUANTITIES))}", "quantity")
    digits = data.get("digits", DEFAULT_DIGITS)
    if isinstance(digits, bool) or not isinstance(digits, int):
        raise ProtocolError("type", "must be an integer", "digits")
    if not 1 <= digits <= MAX_DIGITS:
        raise ProtocolError("size", f"must be between 1 and {MAX_DIGITS}", "digits")
    return Request(request_id, QUANTITIES[name], _inputs(data.get("inputs"), QUANTITIES[name]), digits)


def _inputs(inputs: Any, quantity: Quantity) -> dict[str, Any]:
    if not isinstance(inputs, dict):
        raise ProtocolError("request", "must be an object", "inputs")
    for name in inputs:
        if name not in quantity.inputs:
            raise ProtocolError("request", f"not an input of {quantity.name}: {', '.join(quantity.inputs)}", name)
    checked = {}
    for name, kind in quantity.inputs.items():
        if name not in inputs:
            raise ProtocolError("request", f"missing; {quantity.name} needs {', '.join(quantity.inputs)}", name)
        try:
            checked[name] = kind(inputs[name])
        except OverflowError as error:
            raise ProtocolError("size", str(error), name) from None
        except TypeError as error:
            raise ProtocolError("type", str(error), name) from None
    return checked


def _evaluate(request: Request, engine: Engine) -> dict[str, Any]:
    name = request.quantity.name
    if name not in engine:
        raise ProtocolError("quantity", f"this engine does not compute {name}", "quantity", request.id)
    try:
        value, radius, basis = engine[name](request.inputs, request.digits)
    except InputError as error:
        raise ProtocolError("domain", str(error), error.argument, request.id) from None
    except OverflowError:
        raise ProtocolError("domain", "an input is beyond the range of float64", None, request.id) from None
    except ArithmeticError as error:
        raise ProtocolError("precision", _first_line(error), None, request.id) from None
    if value in _NOT_FINITE:
        raise ProtocolError(*_NOT_FINITE[value], list(request.inputs)[-1], request.id)
    return {"id": request.id, "value": value, "radius": radius, "basis": basis}


def _integer(text: str) -> int | str:
    """A JSON integer; a long one stays the string that means the same, as Python bounds the digits of an int."""
    return int(text) if len(text) <= _SHORT_INTEGER else text


class _BareNumber:
    """A JSON number with a fraction, an exponent or no value: ambiguous between decimal and binary64, so no input takes
    it.
    """

    def __init__(self, text: str):
        self.text = text


def _no_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) != len(pairs):
        raise ProtocolError("request", "a name occurs twice in one object")
    return data


def _first_line(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0][:200]
