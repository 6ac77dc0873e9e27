"""Certificates: evidence of the full effort kept in the package, so that the quick effort can stand on it.

A certificate is one JSON file: what a long computation found, and the SHA-256 of everything that it rests on (the
parameters, the text of the modules behind the check, the versions of the numeric dependencies). Where that hash is the
one of the installed package, `verify --quick` takes the certificate as evidence, after its checksum and after a new
computation of a sample of it; otherwise the quick size is computed. `verify --full` never reads a certificate;
`verify --full --store` writes them. Another version of a dependency means another hash: numbers made by another library
are not taken over.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cache
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ndis_verify.claim import CertificateError, Evidence, Outcome
from ndis_verify.court.source_closure import source_hash
from ndis_verify.exact_number import InputError
from ndis_verify.runs.files import read_regular, write_atomically

FORMAT = 1
MAX_BYTES = 2**26
FOLDER = Path(__file__).resolve().parent / "certificates"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_DEPENDENCIES = ("mpmath", "numpy", "python-flint", "scipy")
_folder: ContextVar[Path] = ContextVar("folder of certificates", default=FOLDER)
_writing: ContextVar[bool] = ContextVar("write certificates", default=False)

Content = Mapping[str, Any]


@dataclass(frozen=True)
class Certificate:
    """`content`: what was found, as JSON data. `key`: the hash of what it rests on. `seconds`: what it took."""

    check: str
    key: str
    parameters: Content
    versions: Mapping[str, str]
    seconds: float
    content: Content

    @property
    def checksum(self) -> str:
        """SHA-256 of everything else, by which a damaged file is told."""
        return _hash([FORMAT, self.check, self.key, self.parameters, self.versions, self.seconds, self.content])

    def text(self) -> str:
        """The file, the same for the same certificate."""
        data = {"format": FORMAT, **vars(self), "checksum": self.checksum}
        return json.dumps(data, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"


@dataclass(frozen=True)
class StoredCheck:
    """A check whose full evidence can be kept.

    name: of the file, words joined by `-`. parameters: JSON data that fix the full computation (box, precision, budget,
    seed). modules: those that the result rests on, their imports are followed. `compute(effort)` gives the evidence
    and, at the effort "full", what to keep (None: nothing). `recheck(content)` computes a sample anew and gives the
    evidence for the whole; it raises `CertificateError` where the sample and the content differ.
    """

    name: str
    parameters: Content
    modules: Iterable[str]
    compute: Callable[[str], tuple[Evidence, Content | None]]
    recheck: Callable[[Content], Evidence]


def file_name(owner: str, text: str) -> str:
    """The name of a certificate from the id of its claim and the name of its check."""
    words = "".join(
        character if character.isalnum() and character.isascii() else " " for character in text.lower()
    ).split()
    return f"{owner}-{'-'.join(words)[:60].rstrip('-')}"


def stored(check: StoredCheck, effort: str) -> Evidence:
    """The evidence of `check`: at "full" always computed (and kept inside `writing`), at "quick" from its
    certificate.
    """
    if effort == "full":
        started = time.perf_counter()
        evidence, content = check.compute(effort)
        if _writing.get() and content is not None and evidence.outcome is Outcome.HELD:
            _write(check, content, time.perf_counter() - started)
        return evidence
    try:
        certificate = read(_folder.get() / f"{check.name}.json")
        if certificate is None:
            return check.compute(effort)[0]
        if not _is_of(certificate, check):
            return _computed(check, effort, "the stored certificate is of other sources or versions")
        evidence = check.recheck(certificate.content)
        detail = f"stored certificate {certificate.key[:8]} ({certificate.seconds:.1f} s): {evidence.detail}"
    except (CertificateError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        return _computed(check, effort, f"the stored certificate is NOT used: {error}")
    return replace(evidence, detail=detail)


def is_current(check: StoredCheck, folder: Path) -> bool:
    """Whether `folder` has a whole certificate of `check` that rests on the installed sources and versions."""
    try:
        certificate = read(folder / f"{check.name}.json")
    except CertificateError:
        return False
    return certificate is not None and _is_of(certificate, check)


def key(check: StoredCheck) -> str:
    """The hash of what the certificate of `check` rests on."""
    return _hash([FORMAT, check.name, check.parameters, versions(), source_hash(check.modules)])


def _is_of(certificate: Certificate, check: StoredCheck) -> bool:
    """Whether it rests on the installed sources and versions and on the check's own parameters, and says so itself."""
    said = (certificate.key, certificate.parameters, certificate.versions)
    return said == (key(check), json.loads(json.dumps(check.parameters)), versions())


def versions() -> dict[str, str]:
    """The numeric dependencies; Python's own integers and floats do the same in every version."""
    return dict(_installed())


@cache
def _installed() -> tuple[tuple[str, str], ...]:
    return tuple((name, metadata.version(name)) for name in _DEPENDENCIES)


def read(path: Path) -> Certificate | None:
    """The certificate in a file, None where there is no file; raises `CertificateError` where it is damaged."""
    try:
        text = read_regular(path, MAX_BYTES).decode("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError, InputError) as error:
        raise CertificateError(f"{path.name} cannot be read ({type(error).__name__})") from None
    return _parsed(text, path)


def _parsed(text: str, path: Path) -> Certificate:
    """The certificate that the text of a file is; raises `CertificateError`."""
    try:
        data = json.loads(text)
        if data.pop("format") != FORMAT:
            raise CertificateError(f"{path.name} is of another format")
        data.pop("checksum")
        certificate = Certificate(**data)
        same = certificate.text() == text  # its checksum, and every byte around it
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        if isinstance(error, CertificateError):
            raise
        raise CertificateError(f"{path.name} is damaged") from None
    if not same or certificate.check != path.stem:
        raise CertificateError(f"{path.name} has a wrong checksum")
    return certificate


def keep(folder: Path, texts: Mapping[str, str]) -> None:
    """Write certificates that were made elsewhere, by the names of their checks, each whole and as it says that it is.

    Raises `CertificateError` before anything is written.
    """
    for name, text in texts.items():
        if _NAME.fullmatch(name) is None:
            raise CertificateError(f"{name!r} is no name of a certificate")
        _parsed(text, Path(f"{name}.json"))
    for name, text in texts.items():
        write_atomically(folder / f"{name}.json", text)


@contextmanager
def made_inside() -> Iterator[dict[str, str]]:
    """A dict that has, once the block is left, the texts of the certificates that were made in it, by their names."""
    found: dict[str, str] = {}
    with TemporaryDirectory() as folder:
        with writing(Path(folder)):
            yield found
        found |= {path.stem: path.read_text(encoding="utf-8") for path in sorted(Path(folder).glob("*.json"))}


@contextmanager
def writing(folder: Path | None = None) -> Iterator[None]:
    """Inside, full computations are kept in `folder` (default: the package's own)."""
    token = _writing.set(True)
    try:
        with certificates_in(folder or FOLDER):
            yield
    finally:
        _writing.reset(token)


@contextmanager
def certificates_in(folder: Path) -> Iterator[None]:
    """Inside, certificates are looked for in `folder`."""
    token = _folder.set(folder)
    try:
        yield
    finally:
        _folder.reset(token)


def _computed(check: StoredCheck, effort: str, why: str) -> Evidence:
    evidence, _ = check.compute(effort)
    return replace(evidence, detail=f"{evidence.detail}; {why}, so this was computed at the quick size")


def _write(check: StoredCheck, content: Content, seconds: float) -> None:
    certificate = Certificate(check.name, key(check), check.parameters, versions(), round(seconds, 2), content)
    write_atomically(_folder.get() / f"{check.name}.json", certificate.text())


def _hash(data: Any) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True, allow_nan=False).encode()).hexdigest()
