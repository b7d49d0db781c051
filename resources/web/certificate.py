"""The certificate of this installation: made here, for this machine's addresses, and never shipped.

Browsers give cameras, microphones and WebXR only to pages that came over https; nobody issues certificates
for addresses of a local network, so each installation signs its own, and people accept it once per device.
That they accepted ours they can see by its fingerprint, which the console shows, too.

Key and certificate lie in one file of mode 0600, so that one can never stand beside another's.
"""

from __future__ import annotations

import datetime
import ipaddress
import ssl
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec
from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from framework.errors import InstallationError
from framework.state import set_aside, write_whole

FILE_NAME: Final = "operator_certificate.pem"

VALID: Final = datetime.timedelta(days=365)
RENEWED_BEFORE: Final = datetime.timedelta(days=14)
_CLOCKS_MAY_DIFFER: Final = datetime.timedelta(days=1)


class Certificate(msgspec.Struct, frozen=True):
    """One that is good for all of `names`.

    file: key and certificate; fingerprint: SHA-256, as browsers show it.
    words: why it was made just now, or "" if it is the one that was there.
    """

    file: Path
    fingerprint: str
    names: tuple[str, ...]
    words: str = ""

    def context(self) -> ssl.SSLContext:
        """For a server. Raises InstallationError if the file has been changed under us."""
        try:
            return _context(self.file)
        except (OSError, ssl.SSLError) as error:
            raise InstallationError(
                f"{self.file} cannot be used ({error}); remove it, start again"
            ) from error


def certificate(file: Path, names: Iterable[str], now: datetime.datetime) -> Certificate:
    """The certificate kept in this file, or a new one where that is none, has (nearly) expired, does not name
    every one of `names` (addresses and host names), or can be read by others.

    now: with a time zone. Raises InstallationError if a new one cannot be written.
    """
    wanted = tuple(dict.fromkeys(name.lower() for name in names))
    try:
        kept = _read(file)
    except FileNotFoundError:
        return _make(file, wanted, now, "the first one of this installation")
    except (ValueError, TypeError, UnsupportedAlgorithm, InvalidSignature, ssl.SSLError) as error:
        words = f"the one before is not understood ({str(error) or type(error).__name__})"
        return _make(file, wanted, now, f"{words}, and is set aside as {_set_aside(file).name}")
    except OSError as error:
        return _make(file, wanted, now, f"the one before could not be read ({error})")
    if stat.S_IMODE(file.stat().st_mode) & 0o077:
        return _make(file, wanted, now, "the one before could be read by others")
    if not kept.not_valid_before_utc <= now < kept.not_valid_after_utc - RENEWED_BEFORE:
        return _make(file, wanted, now, f"the one before was good until {kept.not_valid_after_utc:%Y-%m-%d}")
    missing = [name for name in wanted if name not in _names_of(kept)]
    if missing:
        return _make(file, wanted, now, f"the one before did not name {', '.join(missing)}")
    return Certificate(file, _fingerprint(kept), wanted)


def _read(file: Path) -> x509.Certificate:
    """Raises OSError; for what is no key and certificate ValueError, TypeError, UnsupportedAlgorithm,
    InvalidSignature or SSLError.
    """
    content = file.read_bytes()
    key = serialization.load_pem_private_key(content, None)
    kept = x509.load_pem_x509_certificate(content)
    if not isinstance(key, ec.EllipticCurvePrivateKey) or key.public_key() != kept.public_key():
        raise ValueError("its key is another one's")
    kept.verify_directly_issued_by(kept)  # raises for one that has changed
    _context(file)  # what one library reads the other may refuse
    return kept


def _context(file: Path) -> ssl.SSLContext:
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.minimum_version = ssl.TLSVersion.TLSv1_2
    made.load_cert_chain(file)
    return made


def _make(file: Path, names: tuple[str, ...], now: datetime.datetime, words: str) -> Certificate:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Pilothouse on this local network")])
    usage = x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=False,
        crl_sign=False,
        encipher_only=False,
        decipher_only=False,
    )
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _CLOCKS_MAY_DIFFER)
        .not_valid_after(now + VALID)
        .add_extension(x509.SubjectAlternativeName([_general(name) for name in names]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    _write(file, private + made.public_bytes(serialization.Encoding.PEM))
    return Certificate(file, _fingerprint(made), names, words)


def _set_aside(file: Path) -> Path:
    try:
        return set_aside(file)
    except OSError as error:
        raise InstallationError(f"{file} is not understood, and cannot be set aside: {error}") from error


def _write(file: Path, content: bytes) -> None:
    try:
        write_whole(file, content)
    except OSError as error:
        raise InstallationError(
            f"the certificate for other devices cannot be kept as {file}: {error}; "
            "give another state folder with --state, or run without --phones and --host"
        ) from error


def _names_of(made: x509.Certificate) -> frozenset[str]:
    try:
        names = made.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (x509.ExtensionNotFound, ValueError):
        return frozenset()
    return frozenset(
        [str(address) for address in names.get_values_for_type(x509.IPAddress)]
        + [name.lower() for name in names.get_values_for_type(x509.DNSName)]
    )


def _general(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _fingerprint(made: x509.Certificate) -> str:
    return made.fingerprint(hashes.SHA256()).hex(":").upper()
