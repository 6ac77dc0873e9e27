"""The kernels of notebooks are copies of one process, which has loaded and built what all of them need.

A kernel of its own spends some seconds on numpy, SciPy, SymPy, Matplotlib and IPython, then builds again the claims and
the derivations that other notebooks built. Here one process does that, and every notebook runs in a fork of it: no cell
has run in it, nothing in it was heard or decided for a notebook, and a cell computes what it says it computes.
Run as a program, this file is that process.
"""

import gc
import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint

LOADED = [
    "ipykernel.kernelapp",
    "ipykernel.zmqshell",
    "ipywidgets",
    "matplotlib.pyplot",
    "matplotlib_inline.backend_inline",
    "scipy.stats",
    "sklearn.datasets",
]


def serve():
    """Answer each line of the input: `["start", arguments, environment, folder]` by the number of a new process,
    `["poll", number]` by its exit code, null while it runs.
    """
    for module in LOADED:
        with suppress(ImportError):  # an extra that is not there
            import_module(module)
    from ndis_verify.claims.ledger import all_claims
    from ndis_verify.symbolic import all_derivations

    all_claims()
    all_derivations()
    gc.freeze()
    for line in sys.stdin:
        what, *given = json.loads(line)
        if what == "poll":
            number, status = os.waitpid(given[0], os.WNOHANG)
            answer = os.waitstatus_to_exitcode(status) if number else None
        elif not (answer := os.fork()):
            return run(*given)
        print(json.dumps(answer), flush=True)


def run(arguments, environment, folder):
    """What `python -m ipykernel_launcher` does; ends when the process that it is a copy of does."""
    os.setsid()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for number in range(3):
        os.dup2(os.open(os.devnull, os.O_RDWR), number)
    from ipykernel.kernelapp import IPKernelApp

    IPKernelApp.launch_instance([*arguments, f"--IPKernelApp.parent_handle={os.getppid()}"])


@cache
def _served():
    command = [sys.executable, "-P", __file__]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)


def _asked(*words):
    served = _served()
    served.stdin.write(json.dumps(words) + "\n")
    return json.loads(served.stdout.readline())


class Copy:
    """One copy, spoken to as if it were a `subprocess.Popen`."""

    stdin = stdout = stderr = None

    def __init__(self, *given):
        self.pid, self.returncode = _asked("start", *given), None

    def poll(self):
        if self.returncode is None:
            self.returncode = _asked("poll", self.pid)
        return self.returncode

    wait = poll  # jupyter_client waits for a process that has ended

    def send_signal(self, number):
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self):
        self.send_signal(signal.SIGKILL)

    def terminate(self):
        self.send_signal(signal.SIGTERM)


def use():
    """Kernels that this process starts from now on are copies, where a process with libraries loaded may be copied."""
    if sys.platform != "linux":
        return
    from jupyter_client.provisioning import KernelProvisionerFactory

    factory = KernelProvisionerFactory.instance()
    factory.provisioners["copy"] = EntryPoint("copy", "copied_kernel:Copied", "jupyter_client.kernel_provisioners")
    factory.default_provisioner_name = "copy"


if __name__ == "__main__":
    serve()
