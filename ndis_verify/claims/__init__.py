"""The ledger: a folder a subject, its claims with their attacks beside them; found, not registered."""
