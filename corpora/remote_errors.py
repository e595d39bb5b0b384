"""What can go wrong at a URL, said in one line with its remedy, without what is secret in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from corefmill.corpora.errors import CorefmillError, UsageError

WEB = ("http", "https")
STORES = ("s3", "gs", "az")
"""Protocols of object stores, which can be written to."""
URL = re.compile(r"([a-z][a-z0-9]+)://(?=.)")
_QUERY = re.compile(r"(://[^\s?]*)\?\S*")
_NO_KEY = re.compile(
    r"169\.254\.169\.254|Missing \w*(Key|Secret)|performing token request|Account must be"
)
_NO_URL = re.compile("Unable to recogni[sz]e URL")
_KEYS = {
    "s3": "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (and AWS_ENDPOINT_URL where it is not"
    " Amazon's), or AWS_SKIP_SIGNATURE=true for what is public",
    "gs": "set GOOGLE_SERVICE_ACCOUNT to the file of a key, or GOOGLE_SKIP_SIGNATURE=true for what"
    " is public",
    "az": "set AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY",
    "hf": "set HF_TOKEN, or log in by `hf auth login`",
}

AGAIN = "the same command goes on where it was"
CHANGED = "was changed while it was read"
ANEW = "let it rest, and give the same command with --overwrite"


class RemoteError(CorefmillError):
    """A remote file that cannot be had now, or is not what it was.

    It is no `DataError`: what the file holds may be sound, so that nothing of it counts as damaged
    and the work can be gone on with.
    """


def protocol_of(url: str) -> str:
    """What a URL begins with."""
    match = URL.match(url)
    assert match is not None
    return match[1]


def without_query(text: str) -> str:
    """A text without the queries of the URLs in it, which may hold a key."""
    return _QUERY.sub(r"\1", text)


def refuse_password(url: str) -> None:
    """Raises `UsageError` for a URL with a user's name, or with that and a password."""
    protocol, _, rest = url.partition("://")
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0]
    if "@" in authority:
        raise UsageError(
            "a password in a URL would be shown in messages",
            path=f"{protocol}://{authority.rpartition('@')[2]}",
            remedy="leave out what stands before the @, or download the file",
        )


@contextmanager
def reaching(url: str) -> Iterator[None]:
    """What goes wrong in the block is an error in one line; faults of this program stay theirs."""
    try:
        yield
    except (CorefmillError, ModuleNotFoundError):
        raise
    except _faults(protocol_of(url)) as error:
        raise told(url, error) from error


def _faults(protocol: str) -> tuple[type[Exception], ...]:
    if protocol not in (*WEB, *STORES):
        return (Exception,)  # whatever the package raises that fsspec calls
    from obstore.exceptions import BaseError

    return (BaseError, OSError, ValueError)


def told(url: str, error: Exception) -> RemoteError:
    """What went wrong at a URL, in one line, with its remedy."""
    kind, shown, protocol = type(error).__name__, without_query(url), protocol_of(url)
    first = without_query((str(error).strip() or kind).splitlines()[0])
    if isinstance(error, FileNotFoundError):
        return RemoteError("there is no such file", path=shown, remedy="check the URL")
    if kind == "PreconditionError":
        return RemoteError(CHANGED, path=shown, remedy=ANEW)
    if kind == "NotSupportedError":
        return RemoteError(
            "its server gives whole files only, and no part of one",
            path=shown,
            remedy="download the file, and name it by its path",
        )
    if (
        isinstance(error, PermissionError)
        or kind in ("PermissionDeniedError", "UnauthenticatedError")
        or (protocol not in WEB and _NO_KEY.search(first))
    ):
        remedy = _KEYS.get(protocol, "ask for the right to read it")
        return RemoteError("may not be read without a key that is right", path=shown, remedy=remedy)
    if (isinstance(error, ValueError) and not isinstance(error, OSError)) or _NO_URL.search(first):
        return RemoteError(f"names no file: {first}", path=shown, remedy="check the URL")
    return RemoteError(f"cannot be reached: {first}", path=shown, remedy=AGAIN)
