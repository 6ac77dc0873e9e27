"""What the notebooks show of the ledger beside their own subject."""

from __future__ import annotations

from html import escape

from ndis_verify.claim import Claim
from ndis_verify.claims.ledger import find
from ndis_verify.report.places import label_of
from ndis_verify.rich import prose, wrapping

_HEAD = ("claim", "statement", "verdict, as declared")


class Shelf:
    """Claims beside one another: label, statement, declared verdict, and what it rests on where it is not plain."""

    def __init__(self, claims: tuple[Claim, ...]):
        self.claims = claims

    def __repr__(self) -> str:
        return "\n".join(f"{claim.id}: {claim.title} ({claim.declared.value})" for claim in self.claims)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{name}</th>" for name in _HEAD)
        rows = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in _cells(claim))}</tr>" for claim in self.claims)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def also(*ids: str) -> Shelf:
    """A table of claims for the end of a notebook. Raises `InputError` for an id that the ledger has not.

    Examples
    --------
    >>> from ndis_verify.report.articles import also
    >>> also("N26-P3")
    N26-P3: triangle inequality of the divergence (proved)
    """
    return Shelf(tuple(map(find, ids)))


def _cells(claim: Claim) -> tuple[str, str, str]:
    formula = wrapping(claim.stated.tex) if claim.stated else prose(claim.formula or claim.statement)
    said = f"<b>{claim.declared.value}</b>"
    for name, text in (("counterexample", claim.counterexample), ("corrected", claim.corrected)):
        said += f"<br>{name}: {prose(text)}" if text else ""
    return (
        f"<b>{escape(label_of(claim.id))}</b><br><small>{escape(claim.id)}</small>",
        (f"{prose(claim.title)}<br>{formula}"),
        said,
    )
