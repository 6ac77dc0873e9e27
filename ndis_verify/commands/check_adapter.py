"""`ndis-verify check-adapter`: a handful of rows with explanations, to debug an adapter."""

from ndis_verify.commands.conform import add_check_arguments as add_arguments
from ndis_verify.commands.conform import check_adapter as main

__all__ = ["add_arguments", "main"]
