"""`python -m ndis_verify.hunts`: see `blocks`."""

from ndis_verify.hunts.blocks import main

if __name__ == "__main__":
    raise SystemExit(main())
