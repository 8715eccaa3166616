"""Loads the server's certificate and replaces it with a renewed one without dropping a stream.

gRPC asks for the certificate at every new connection. Open connections keep the certificate that they began with.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import grpc

from arena.errors import OptionError
from arena.log_lines import get_logger

if TYPE_CHECKING:
    from cryptography.x509 import Certificate

log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class CertificateFiles:
    """Names the PEM files of a server."""

    certificate: Path
    """The server's certificate, followed by those of intermediate authorities."""
    key: Path
    client_authority: Path | None = None
    """None if clients need no certificate."""

    def stamp(self) -> tuple[tuple[int, int, int], ...]:
        """Return numbers that change when a file is replaced or rewritten. Raises OSError."""
        found = [path.stat() for path in (self.certificate, self.key, self.client_authority) if path is not None]
        return tuple((each.st_ino, each.st_mtime_ns, each.st_size) for each in found)


class ServerCertificate:
    """The certificate in use. If a renewed one is unusable, this is logged once, and the old one stays."""

    def __init__(self, files: CertificateFiles) -> None:
        """Raises OptionError if a file cannot be read or the key does not belong to the certificate."""
        self._files = files
        self._configuration = _load_configuration(files)
        self._stamp = files.stamp()

    def credentials(self) -> grpc.ServerCredentials:
        """The credentials are for `add_secure_port`, and change when the files change."""
        return grpc.dynamic_ssl_server_credentials(
            self._configuration,
            self._read_renewal,  # type: ignore[arg-type]  # it may return None, which the stub does not say
            require_client_authentication=self._files.client_authority is not None,
        )

    def _read_renewal(self) -> "grpc.ServerCertificateConfiguration | None":
        """Return None if the files have not changed, so that gRPC keeps the present configuration.

        gRPC calls this in its own threads, so nothing may be raised.
        """
        try:
            stamp = self._files.stamp()
            if stamp == self._stamp:
                return None
            self._stamp = stamp  # set first, so that a bad file is reported once, not at every connection
            self._configuration = _load_configuration(self._files)
        except (OSError, OptionError) as error:
            log.warning("the renewed certificate cannot be used, the old one stays", fault=str(error))
            return None
        log.info("certificate renewed", file=str(self._files.certificate))
        return self._configuration


def _load_configuration(files: CertificateFiles) -> grpc.ServerCertificateConfiguration:
    """Raises OptionError naming the setting at fault."""
    from cryptography.hazmat.primitives.serialization import load_pem_private_key  # noqa: PLC0415  as below

    chain, key = _read_pem("tls_cert", files.certificate), _read_pem("tls_key", files.key)
    certificate = _parse_certificate("tls_cert", files.certificate, chain)
    try:
        private = load_pem_private_key(key, password=None)
    except (ValueError, TypeError) as error:
        raise OptionError("tls_key", str(files.key), "expected an unencrypted private key in PEM") from error
    if private.public_key() != certificate.public_key():
        raise OptionError("tls_key", str(files.key), f"the key does not belong to {files.certificate}")
    if certificate.not_valid_after_utc <= datetime.now(UTC):
        raise OptionError("tls_cert", str(files.certificate), f"it expired at {certificate.not_valid_after_utc}")
    authority = None
    if files.client_authority is not None:
        authority = _read_pem("tls_client_ca", files.client_authority)
        _parse_certificate("tls_client_ca", files.client_authority, authority)
    return grpc.ssl_server_certificate_configuration([(key, chain)], root_certificates=authority)


def _parse_certificate(name: str, path: Path, pem: bytes) -> "Certificate":
    from cryptography import x509  # noqa: PLC0415  slow to load, and a server without TLS has no certificate

    try:
        return x509.load_pem_x509_certificate(pem)
    except ValueError as error:
        raise OptionError(name, str(path), "expected a certificate in PEM") from error


def _read_pem(name: str, path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise OptionError(name, str(path), f"it cannot be read: {error.strerror}") from error
