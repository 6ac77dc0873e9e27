"""The rooms of the language's quantities: each has both witnesses, and columns know their errors where one cancels."""

from importlib import import_module

import numpy as np
import pytest

from ndis_verify.claims.ledger import find
from ndis_verify.court.quantities.rooms import ROOMS, rooms_of
from ndis_verify.court.statement_arrays import ARRAYS
from ndis_verify.court.statement_balls import ELEMENTARY
from ndis_verify.court.statement_domains import domain_of
from ndis_verify.court.statement_floats import FLOATS, TOLERANCE, StatementMargin
from ndis_verify.statements.quantities import QUANTITIES

WITNESSES = ("float", "ball")


@pytest.mark.parametrize("witness", WITNESSES)
def test_every_quantity_of_the_package_stands_in_the_room_of_its_subject(witness):
    for subject in set(ROOMS.values()):
        room = import_module(f"ndis_verify.court.quantities.{witness}_{subject}")
        assert set(room.QUANTITIES) == {head for head, of in ROOMS.items() if of == subject}


def test_every_head_of_the_language_has_a_value_in_floats_and_in_balls():
    own = {"pi", "abs", "max", "min", "identity", *ARRAYS}  # of the ball arithmetic itself, and of matrices
    assert set(QUANTITIES) <= FLOATS.keys() | ROOMS.keys() | own
    assert set(QUANTITIES) <= ELEMENTARY.keys() | ROOMS.keys() | own


@pytest.mark.parametrize(
    ("claim_id", "rooms"), [("N26-L1", {"pairs", "laws"}), ("N26-L3", {"pairs"}), ("KM-4.3", set())]
)
def test_a_statement_rests_on_the_rooms_of_its_own_quantities(claim_id, rooms):
    for witness in WITNESSES:
        found = rooms_of(find(claim_id).stated, witness)
        assert found == {f"ndis_verify.court.quantities.{witness}_{room}" for room in rooms}


def test_a_quadratic_form_that_is_nearly_flat_knows_the_rounding_of_its_completed_square():
    """(a/2) z^2 + b z is (a/2) (z + b/a)^2 - b^2/(2a), and b^2/(2a) grows without bound as a comes down to 0."""
    stated = find("N26-L1").stated
    rng, rows = np.random.default_rng(20), 120
    near = 1 + 10 ** rng.uniform(-15, -6, rows) * rng.choice([-1, 1], rows)
    columns = {"mu_1": rng.uniform(-3, 3, rows), "mu_2": rng.uniform(-3, 3, rows), "s_2": near}
    columns |= {"s_1": rng.uniform(0.5, 2, rows), "eps": rng.uniform(-3, 8, rows)}
    margins = StatementMargin(stated)(**{p.name: columns[p.name] for p in domain_of(stated).parameters})
    assert (margins >= -TOLERANCE).all()
