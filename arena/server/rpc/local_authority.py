"""A local certificate authority and its certificates, for a local network or a trial.

Public servers use a certificate from a public authority instead. Bots then need no certificate file.
"""

import ipaddress
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from arena.errors import OptionError

AUTHORITY_DAYS = 3650
CERTIFICATE_DAYS = 397
"""How long a certificate is valid. Some clients refuse longer periods (CA/Browser Forum, ballot SC-31)."""
MAX_NAME_LENGTH = 64
CLOCK_MARGIN = timedelta(days=1)
"""How long before its creation a certificate begins to be valid, for clients whose clocks are behind."""


@dataclass(frozen=True, slots=True)
class KeyPair:
    """Names the PEM files of a certificate and its private key."""

    certificate: Path
    key: Path


class LocalAuthority:
    """The folder has the authority's own certificate and key."""

    def __init__(self, folder: Path, now: datetime | None = None) -> None:
        """Make the authority if the folder has none. Raises OptionError if a file cannot be written or read."""
        self.certificate = folder / "ca.pem"
        """The file that bots need as CHEATARENA_CA."""
        self._folder = folder
        self._now = now or datetime.now(UTC)
        with _refuse_broken(folder):
            folder.mkdir(parents=True, exist_ok=True)
            if not self.certificate.exists():
                self._make()
            self._issuer = x509.load_pem_x509_certificate(self.certificate.read_bytes())
            signer = load_pem_private_key(self._key_file.read_bytes(), password=None)
        assert isinstance(signer, ec.EllipticCurvePrivateKey)
        self._signer = signer

    @property
    def _key_file(self) -> Path:
        return self._folder / "ca-key.pem"

    def issue_server_certificate(self, hosts: Sequence[str]) -> KeyPair:
        """`hosts` are names and addresses. Raises OptionError if any of them is invalid."""
        names = x509.SubjectAlternativeName([_general_name(host) for host in hosts])
        return self._issue("server", "cheatarena server", ExtendedKeyUsageOID.SERVER_AUTH, names)

    def issue_client_certificate(self, name: str) -> KeyPair:
        """Raises OptionError for a name that cannot be part of a file name."""
        if not name.isprintable() or not 1 <= len(name) <= MAX_NAME_LENGTH or set(name) & set("/\\\0"):
            raise OptionError("client", name, f"expected 1 to {MAX_NAME_LENGTH} characters without slashes")
        return self._issue(f"client-{name}", name, ExtendedKeyUsageOID.CLIENT_AUTH, None)

    def _issue(
        self, file: str, subject: str, usage: x509.ObjectIdentifier, names: x509.SubjectAlternativeName | None
    ) -> KeyPair:
        key = ec.generate_private_key(ec.SECP256R1())
        builder = (
            _start_certificate(_common_name(subject), key.public_key(), self._now, CERTIFICATE_DAYS)
            .issuer_name(self._issuer.subject)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(x509.ExtendedKeyUsage([usage]), critical=False)
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(self._signer.public_key()), critical=False
            )
        )
        if names is not None:
            builder = builder.add_extension(names, critical=False)
        pair = KeyPair(self._folder / f"{file}.pem", self._folder / f"{file}-key.pem")
        with _refuse_broken(self._folder):
            _write_key(pair.key, key)
            pair.certificate.write_bytes(builder.sign(self._signer, hashes.SHA256()).public_bytes(Encoding.PEM))
        return pair

    def _make(self) -> None:
        key = ec.generate_private_key(ec.SECP256R1())
        name = _common_name(f"cheatarena local authority {self._now:%Y-%m-%d}")
        usage = x509.KeyUsage(
            digital_signature=True, key_cert_sign=True, crl_sign=True, content_commitment=False,
            key_encipherment=False, data_encipherment=False, key_agreement=False, encipher_only=False,
            decipher_only=False,
        )  # fmt: skip
        certificate = (
            _start_certificate(name, key.public_key(), self._now, AUTHORITY_DAYS)
            .issuer_name(name)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(usage, critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
            .sign(key, hashes.SHA256())
        )
        _write_key(self._key_file, key)
        self.certificate.write_bytes(certificate.public_bytes(Encoding.PEM))


def find_local_authority(certificate: Path) -> Path | None:
    """Return the `ca.pem` beside a server's certificate if this authority issued it; otherwise None."""
    authority = certificate.with_name("ca.pem")
    try:
        issued, issuer = (x509.load_pem_x509_certificate(path.read_bytes()) for path in (certificate, authority))
        issued.verify_directly_issued_by(issuer)
    except (OSError, ValueError, TypeError, InvalidSignature):
        return None
    return authority


@contextmanager
def _refuse_broken(folder: Path) -> Iterator[None]:
    """Raises OptionError if files of the folder cannot be written or read."""
    try:
        yield
    except OSError as error:
        raise OptionError("out", str(folder), f"its files cannot be used: {error.strerror}") from error
    except ValueError as error:
        raise OptionError("out", str(folder), "its ca.pem and ca-key.pem were not made by this command") from error


def _general_name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host.strip("[]")))
    except ValueError:
        pass
    try:
        name = host.encode("idna").decode()
    except UnicodeError:
        name = ""
    if not name or ":" in name:
        raise OptionError("host", host, "expected a host name or an address, without a port")
    return x509.DNSName(name)


def _start_certificate(
    subject: x509.Name, key: ec.EllipticCurvePublicKey, now: datetime, days: int
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - CLOCK_MARGIN)
        .not_valid_after(now + timedelta(days=days))
    )


def _common_name(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _write_key(path: Path, key: ec.EllipticCurvePrivateKey) -> None:
    """Only the file's owner can read it; an existing file is replaced."""
    path.unlink(missing_ok=True)
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(pem)
