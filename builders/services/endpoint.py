"""What a user says of a service: its URL, and which variable of the environment holds its key."""

from __future__ import annotations

import os
import re
from urllib.parse import urlsplit

from corefmill.corpora.errors import UsageError


def checked_url(url: str, option: str = "--url") -> str:
    """A service's base URL, which the user gave by `option`, without its last slash.

    Raises `UsageError` for one that is not http or https, has no host, or holds what may be
    secret, and does not show that.
    """
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
        host and host.encode("idna")
    except ValueError:
        raise UsageError(f"{option} is no URL", remedy="such as http://localhost:8000/v1") from None
    odd = re.search(r"[\s\x00-\x1f]", url) or not parts.path.isascii()
    if parts.scheme not in ("http", "https") or not host or odd:
        raise UsageError(
            f"{option} is no URL of a service", remedy="http://HOST or https://HOST, and its path"
        )
    if parts.username is not None or parts.query or parts.fragment:
        raise UsageError(
            f"{option} may hold no name, password or query, which would be written to the card",
            remedy="put the key into the environment (--key-variable)",
        )
    return url.rstrip("/")


def key_of(variable: str) -> str:
    """The key that a variable of the environment holds, "" where there is none."""
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", variable):
        # It is not shown: somebody may have given the key itself.
        raise UsageError(
            "--key-variable is no name of a variable", remedy="put the key into the environment"
        )
    key = os.environ.get(variable, "").strip()
    if not key.isascii() or not key.isprintable():
        raise UsageError(f"the variable {variable} holds what cannot be a key")
    return key
