"""The order of the files, and hypothesis profiles: `ci` (the default) is derandomised so that a run repeats; `hunt`
searches further.
"""

import gc
import os
import shutil
import sys
import tempfile
from importlib.machinery import PathFinder

import pytest
from hypothesis import HealthCheck, settings

from ndis_verify.court.shared_hearings import VARIABLE
from ndis_verify.runs.journal import Journal


class _AsItIs:
    """Finds the package before pytest does, which would look for assertions to rewrite in its 600 files."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        return PathFinder.find_spec(name, path, target) if name.partition(".")[0] == "ndis_verify" else None


sys.meta_path.insert(0, _AsItIs)

gc.set_threshold(50_000, 20, 20)  # modules and derivations are made to stay

# The processes of a run, kernels and commands among them, compile the package once, whatever the environment says.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# One thread of BLAS in each: a core has a process, and the threads of one wait for the other's at full speed.
os.environ.setdefault("OMP_NUM_THREADS", "1")

settings.register_profile(
    "ci",
    derandomize=True,
    deadline=None,
    max_examples=40,
    print_blob=False,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("hunt", deadline=None, max_examples=2000)
settings.load_profile(os.environ.get("NDIS_VERIFY_HYPOTHESIS", "ci"))

# Files whose tests go over the ledger and its derivations: one process has them, which builds and decides each once.
_OF_THE_LEDGER = (
    "test_ledger.py",
    "test_symbolic_derivations.py",
    "test_proof_structure.py",
    "test_attacks.py",
    "test_mutant_counts.py",
    "test_where.py",
    "test_transposes.py",
    "test_conditions_in_words.py",
    "test_cli_claims.py",
    "test_site.py",
    "test_matrix.py",
)
# The files that take longest, begun first: a process is given whole files, and none should wait for another at the end.
# The ledger is heard while these run; what shows parts of it and of its derivations comes after, and then the rest.
_LONGEST = (
    *_OF_THE_LEDGER,
    "test_oracle_calibrators.py",
    "test_audit_study.py",
    "test_mechanism_gaussian_output.py",
    "test_reference_tables.py",
    "test_invariances.py",
    "test_least_squares_worst_case.py",
    "test_hunts.py",
    "test_oracle_relative.py",
    "test_relative_least_squares.py",
    "test_oracle_prediction.py",
    "test_mechanism_targets.py",
    "test_mechanism_inputs.py",
    "test_conformance.py",
    "test_mechanism_projection.py",
    "test_architecture.py",
    "test_cli.py",
    "test_symbolic_numbers.py",
    ".ipynb",
)


def pytest_configure(config):
    """A folder in which the processes of this run share what they heard of claims and decided of steps, unless one is
    named. The kernels of notebooks are copies.
    """
    if config.getoption("nbval", False):
        import forked_kernels

        forked_kernels.use()
    if VARIABLE not in os.environ and not hasattr(config, "workerinput"):
        os.environ[VARIABLE] = config.ndis_test_run = tempfile.mkdtemp(prefix="ndis-verify-test-run-")


def pytest_unconfigure(config):
    if hasattr(config, "ndis_test_run"):
        del os.environ[VARIABLE]
        shutil.rmtree(config.ndis_test_run, ignore_errors=True)


def pytest_collection_modifyitems(items):
    """The longest files, the notebooks, then the rest as collected."""
    place = {name: k for k, name in enumerate(_LONGEST)}
    items.sort(key=lambda item: place.get(item.path.suffix, place.get(item.path.name, len(place))))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """A process is given whole files; one all files of the ledger, one all notebooks, whose kernels are copies."""
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid):
            file = super()._split_scope(nodeid)
            if file.endswith(".ipynb"):
                return "notebooks"
            return _OF_THE_LEDGER[0] if file.rpartition("/")[2] in _OF_THE_LEDGER else file

    return Scheduling(config, log)


def pytest_collection_finish():
    """What has been loaded stays to the end: it is not searched for garbage again and again."""
    gc.freeze()


@pytest.fixture
def journals_left(monkeypatch):
    """The journals that runs open, each with the bytes that it had when it was left."""
    seen, leave = [], Journal.__exit__

    def left(journal, *how):
        seen.append((journal, journal.path.read_bytes()))
        return leave(journal, *how)

    monkeypatch.setattr(Journal, "__exit__", left)
    return seen
