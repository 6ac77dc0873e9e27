"""`ndis-verify audit`: what output laws, scores or the bits of releases prove about the privacy of a mechanism."""

import argparse

from ndis_verify.commands import audit_bits, audit_bits_survey, audit_gaussian, audit_scores, audit_study

KINDS = {
    "scores": audit_scores,
    "bits": audit_bits,
    "gaussian": audit_gaussian,
    "study": audit_study,
    "bits-survey": audit_bits_survey,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Every kind of audit with its flags."""
    kinds = parser.add_subparsers(dest="audit", required=True, metavar="WHAT")
    for name, module in KINDS.items():
        kind = kinds.add_parser(name, help=module.HELP, description=module.HELP[:1].upper() + module.HELP[1:] + ".")
        module.add_arguments(kind)
        kind.set_defaults(audited=module.main)


def main(arguments: argparse.Namespace) -> int:
    """Run the kind that was asked for."""
    return arguments.audited(arguments)
