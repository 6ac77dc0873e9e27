"""Serve Python functions over the line protocol with nothing but the standard library: the template for an adapter."""

import json
import sys


class Refused(ValueError):
    """The implementation declines these inputs; `argument` is the one at fault, or None."""

    def __init__(self, message, argument=None):
        super().__init__(message)
        self.argument = argument


def serve(name, version, functions, source=sys.stdin, sink=sys.stdout):
    """Answer requests until the input ends or a stop request; `functions` maps a quantity to a function of its inputs.

    A function takes the inputs as they were sent, decimal strings and lists of them, and returns a float. `Refused`, or
    any other exception, becomes an error object; what the function prints goes to stderr.
    """
    sys.stdout = sys.stderr
    for line in source:
        request = json.loads(line)
        answer = {"id": request.get("id")}
        if request.get("command") == "start":
            answer |= {"protocol": "1.0", "name": name, "version": version, "quantities": sorted(functions)}
        elif request.get("command") == "stop":
            answer |= {"protocol": "1.0", "stopped": True}
        else:
            answer |= _answer(functions, request)
        sink.write(json.dumps(answer) + "\n")
        sink.flush()
        if "stopped" in answer:
            return


def _answer(functions, request):
    try:
        return {"value": repr(float(functions[request["quantity"]](request["inputs"])))}
    except Exception as error:
        return {
            "error": {
                "kind": "domain",
                "argument": getattr(error, "argument", None),
                "message": f"{type(error).__name__}: {error}"[:200],
            }
        }
