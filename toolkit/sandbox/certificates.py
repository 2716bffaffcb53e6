"""A certificate authority of the sandbox: certificates for its server and clients, and two that must be refused."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

LIFE = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Certificates:
    """Paths of PEM files."""

    ca: Path
    server: Path
    server_key: Path
    client: Path
    client_key: Path
    other: Path
    """Certificate of another client of the same authority."""
    other_key: Path
    expired: Path
    """A certificate whose validity has ended."""
    expired_key: Path


@dataclass(frozen=True, slots=True)
class _Authority:
    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey


def make_certificates(folder: Path, host: str) -> Certificates:
    """Write new keys and certificates into `folder`, valid for `host` and this machine."""
    authority = _authority()
    ca = _write(folder / "ca.pem", authority.certificate.public_bytes(serialization.Encoding.PEM))
    names: list[x509.GeneralName] = [x509.DNSName("localhost"), *_addresses("127.0.0.1", "::1", host)]
    server, server_key = _leaf(authority, folder, "server", names)
    clients = [
        path
        for role, age in (("client", timedelta(0)), ("other", timedelta(0)), ("expired", LIFE + timedelta(days=1)))
        for path in _leaf(authority, folder, role, [x509.DNSName(f"{role}.sandbox.example")], age=age)
    ]
    return Certificates(ca, server, server_key, *clients)


def _addresses(*hosts: str) -> list[x509.GeneralName]:
    names: dict[str, x509.GeneralName] = {}
    for host in hosts:
        try:
            names[host] = x509.IPAddress(ip_address(host))
        except ValueError:
            names[host] = x509.DNSName(host)
    return [name for host, name in names.items() if host != "localhost"]


def _authority() -> _Authority:
    key = ec.generate_private_key(ec.SECP256R1())
    name = _named("Toolkit sandbox authority")
    builder = _builder(name, name, key).add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
    usage = x509.KeyUsage(
        digital_signature=True, key_cert_sign=True, crl_sign=True, content_commitment=False, key_encipherment=False,
        data_encipherment=False, key_agreement=False, encipher_only=False, decipher_only=False,
    )  # fmt: skip
    builder = builder.add_extension(usage, critical=True)
    builder = builder.add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    return _Authority(builder.sign(key, hashes.SHA256()), key)


def _leaf(
    authority: _Authority, folder: Path, role: str, names: list[x509.GeneralName], *, age: timedelta = timedelta(0)
) -> tuple[Path, Path]:
    key = ec.generate_private_key(ec.SECP256R1())
    purpose = ExtendedKeyUsageOID.SERVER_AUTH if role == "server" else ExtendedKeyUsageOID.CLIENT_AUTH
    issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.key.public_key())
    certificate = (
        _builder(_named(f"Toolkit sandbox {role}"), authority.certificate.subject, key, age)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.ExtendedKeyUsage([purpose]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(issuer, critical=False)
        .sign(authority.key, hashes.SHA256())
    )
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    public = _write(folder / f"{role}.pem", certificate.public_bytes(serialization.Encoding.PEM))
    return public, _write(folder / f"{role}.key", secret)


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, age: timedelta = timedelta(0)
) -> x509.CertificateBuilder:
    """Start a certificate that became valid `age` ago, by the real clock, which certificates are checked against."""
    now = datetime.now(UTC) - age
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + LIFE)
    )


def _named(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _write(path: Path, content: bytes) -> Path:
    path.touch(mode=0o600)
    path.write_bytes(content)
    return path
