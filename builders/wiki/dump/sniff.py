"""Tells from its first bytes what a file is, so that an error can name it."""

from __future__ import annotations

import codecs
import re

HEAD_BYTES = 4096
"""How much of a file the functions here want to see."""

_DECLARATION = re.compile(rb"<\?xml\s[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9._:-]{1,40})[\"']")
# UTF-32 stands first: its little-endian mark begins with that of UTF-16.
_WIDE = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (b"<\0\0\0", "utf-32-le"),
    (b"\0\0\0<", "utf-32-be"),
    (b"<\0", "utf-16-le"),
    (b"\0<", "utf-16-be"),
)
# Encodings of natural text only: the codec registry also holds compressors and escapes.
_TEXT_ENCODING = re.compile(
    r"utf[-_]?(16|32)|iso[-_]?8859|latin|windows|cp\d|koi8|gb|big5|euc|shift_?jis|sjis|tis", re.I
)
_STRANGERS = (
    (re.compile(rb"\s*(<!doctype\s+html|<html|<head|<body)", re.I), "an HTML page"),
    (re.compile(rb"7z\xbc\xaf\x27\x1c"), "a 7z archive"),
    (re.compile(rb"PK\x03\x04"), "a zip archive"),
    (re.compile(rb"Rar!"), "a rar archive"),
    (re.compile(rb"%PDF-"), "a PDF file"),
    (re.compile(rb"SQLite format 3"), "an SQLite database"),
    (re.compile(rb".{257}ustar", re.S), "a tar archive"),
    (re.compile(rb"-- (MySQL|MariaDB|phpMyAdmin)"), "an SQL dump"),
    (re.compile(rb"\s*[\[{]\s*[\"{\[]"), "a JSON file"),
    (re.compile(rb"\d+:\d+:"), "the index of a multistream dump"),
    (re.compile(rb"\s*<"), "an XML file of another kind"),
)


def encoding(head: bytes) -> str | None:
    """The encoding of the XML that begins with `head`; None for UTF-8.

    Raises LookupError, naming the encoding, where Python has none of that name.
    """
    for mark, name in _WIDE:
        if head.startswith(mark):
            return name
    declared = _DECLARATION.match(head.removeprefix(codecs.BOM_UTF8).lstrip())
    if declared is None:
        return None
    name = declared[1].decode("ascii")
    if re.fullmatch(r"utf-?8|us-ascii|ascii", name, re.I):
        return None
    if not _TEXT_ENCODING.match(name):
        raise LookupError(name)
    # A declaration that could be read as single bytes is not written in UTF-16, whatever it says.
    if re.match(r"utf[-_]?(16|32)", name, re.I):
        return None
    codecs.lookup(name)
    return name


def might_be_dump(head: bytes) -> bool:
    """Whether `head`, uncompressed, can begin a MediaWiki export in any encoding."""
    bare = head.replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xfe\xff \t\r\n")
    return re.match(rb"<(\?xml|!--|mediawiki|!DOCTYPE\s+mediawiki)", bare) is not None


def kind(head: bytes) -> str:
    """A phrase for the user: what the file that begins with `head` looks like."""
    if not head.strip(b"\0"):
        return "a file of zero bytes" if head else "an empty file"
    for pattern, phrase in _STRANGERS:
        if pattern.match(head.removeprefix(codecs.BOM_UTF8)):
            return phrase
    try:
        head[: max(1, len(head) - 4)].decode("utf-8")
    except UnicodeDecodeError:
        return "binary data"
    return "plain text" if b"\0" not in head else "binary data"
