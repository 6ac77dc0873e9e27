"""`python -m ndis_verify` is `ndis-verify`."""

import sys

from ndis_verify.cli import main

sys.exit(main())
