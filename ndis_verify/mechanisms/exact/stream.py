"""Random bits of a release: AES-256 in counter mode, and SHAKE-256 for single numbers, under one key and addressed by
purpose and place.

Every bit has an address, so that a draw can be made again, and its digits continued, without keeping it: a release
whose float64 bound leaves a grid point open asks for more digits of the *same* numbers. The key comes from the
operating system; a numpy Generator gives it in experiments, whose releases then say so.
"""

from __future__ import annotations

import hashlib
import secrets
from typing import Any

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from ndis_verify.exact_number import InputError

SYSTEM = "operating system"
SEEDED = "numpy generator: for experiments, not for release"
_ZEROS = memoryview(bytes(2**16))  # what is encrypted, piece by piece


class Stream:
    """Independent uniform 64-bit words under addresses (label, index); equal addresses give equal words.

    `rng` None: a fresh key from the operating system. A numpy Generator: 32 bytes of it are the key. Under a key from
    the operating system the guarantee of a release is computational: it holds against whoever cannot tell AES-256 and
    SHAKE-256 from random bits. Raises `InputError`.
    """

    def __init__(self, rng: Any = None):
        if rng is not None and not isinstance(rng, np.random.Generator):
            raise InputError(
                "rng", type(rng).__name__, "must be None, for the operating system's, or a numpy.random.Generator"
            )
        self.source = SYSTEM if rng is None else SEEDED
        self._key = secrets.token_bytes(32) if rng is None else rng.bytes(32)
        self._keys: dict[str, bytes] = {}

    def words(self, label: str, index: int, count: int, start: int = 0) -> np.ndarray:
        """`count` words from place `start`, an even number, of the address."""
        if label not in self._keys:
            self._keys[label] = hashlib.sha256(self._key + label.encode()).digest()
        origin = index.to_bytes(8, "big") + (start // 2).to_bytes(8, "big")
        cipher = Cipher(algorithms.AES(self._keys[label]), modes.CTR(origin)).encryptor()
        result = np.empty(count, dtype="<u8")
        held = memoryview(result.data).cast("B")
        for first in range(0, len(held), len(_ZEROS)):
            size = min(len(held) - first, len(_ZEROS))
            cipher.update_into(_ZEROS[:size], held[first : first + size])
        return result

    def digits(self, label: str, index: int, place: int, bits: int) -> int:
        """The first `bits` binary digits at a place of the address, as a whole number: more digits continue fewer."""
        address = self._key + index.to_bytes(8, "big") + place.to_bytes(8, "big") + label.encode()
        count = -(-bits // 8)
        return int.from_bytes(hashlib.shake_256(address).digest(count), "big") >> (8 * count - bits)
