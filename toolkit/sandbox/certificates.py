"""A certificate authority of the sandbox: certificates for its server and clients, and two that must be refused."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from trustme import CA

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
    """A certificate that is not valid any more."""
    expired_key: Path


def make_certificates(folder: Path, host: str) -> Certificates:
    """Write new keys and certificates into `folder`, valid for `host` and this machine."""
    authority = CA(organization_name="Toolkit sandbox")
    now = datetime.now(UTC)  # the real clock, which certificates are checked against

    def write(role: str, *names: str, ended: timedelta = timedelta(0)) -> tuple[Path, Path]:
        end = now - ended if ended else now + LIFE
        leaf = authority.issue_cert(*names, common_name=role, not_before=end - LIFE - timedelta(hours=1), not_after=end)
        public, secret = folder / f"{role}.pem", folder / f"{role}.key"
        secret.touch(mode=0o600)
        leaf.cert_chain_pems[0].write_to_path(public)
        leaf.private_key_pem.write_to_path(secret)
        return public, secret

    ca = folder / "ca.pem"
    authority.cert_pem.write_to_path(ca)
    return Certificates(
        ca,
        *write("server", *dict.fromkeys(("localhost", "127.0.0.1", "::1", host))),
        *write("client", "client.sandbox.example"),
        *write("other", "other.sandbox.example"),
        *write("expired", "expired.sandbox.example", ended=timedelta(days=1)),
    )
