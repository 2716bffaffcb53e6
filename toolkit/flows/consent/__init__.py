"""Consent at the service: connect, invite, renew, end."""
