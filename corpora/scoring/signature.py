"""The signature of a score, after sacreBLEU's (Post 2018): a line with the meaning of a number.

    clusters|metrics:muc+bcub|rules:corefud-1.2|match:head|zeros:dependent|singletons:drop|
    unmatched:refuse|documents:12|bootstrap:1000|seed:0|key:90cd2154a3e4b5f6|version:0.1.0

Two scores have the same signature if and only if they are of the same key, counted by the same
rules. So metrics stand in one order whatever was asked, names of files are left out, and a seed
stands only where documents were drawn. Values that a user may choose freely are written as in an
address (`%20`). The signature of an evaluation has its protocol in place of the rules:

    evaluation|metrics:accuracy|protocol:gold%20candidates|examples:454|bootstrap:2000|seed:0|...
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from corefmill.corpora.files import disk

NODE_RULES = "corefud-1.2"
COLUMN_RULES = "conll-8.01"
"""The rules on mentions: corefud-scorer's, and the reference scorer's."""

_DIGITS = 16
"""Digits of the key's SHA-256, enough to tell any two keys of a project apart."""


@dataclass(frozen=True, slots=True)
class Signature:
    """The kind of score (`clusters`, `gap`, `examples`, `evaluation`), and its fields in order."""

    what: str
    fields: Mapping[str, str]

    def __str__(self) -> str:
        pairs = (f"{name}:{quote(value, safe='+.-')}" for name, value in self.fields.items())
        return "|".join((self.what, *pairs))


def make_signature(
    what: str,
    metrics: Iterable[str],
    rules: Mapping[str, str],
    *,
    size: tuple[str, int],
    drawn: tuple[int, int] | None,
    key: str,
) -> Signature:
    """Make the signature of a score; `rules` are the fields on the way of counting.

    `size` is the unit of the key, such as documents, and their number; `drawn` the number of draws
    and their seed, if there were any; `key` the key's checksum.
    """
    fields = {"metrics": "+".join(metrics), **rules, size[0]: str(size[1])}
    if drawn is not None:
        fields |= {"bootstrap": str(drawn[0]), "seed": str(drawn[1])}
    from importlib.metadata import version  # takes a fifth of the time of a help

    return Signature(what, fields | {"key": key, "version": version("corefmill")})


def checksum_of(files: Iterable[Path], *choice: str) -> str:
    """Compute a checksum of files, whatever their names and order.

    `choice` names the chosen records, where not all of the files' are meant.
    """
    sums = sorted(map(disk.sha256, files))
    if len(sums) > 1 or choice:
        sums = [hashlib.sha256("\n".join([*choice, *sums]).encode()).hexdigest()]
    return sums[0][:_DIGITS]


def checksum(key: Path, nodes: bool = False) -> str:
    """Return the first digits of a file's SHA-256; of a folder, those of its files' names and sums.

    The files of a folder are the scored ones: *.conllu where `nodes` are compared, else *conll.
    """
    if not key.is_dir():
        return checksum_of([key])
    digest = hashlib.sha256()
    for file in disk.list_folder(key):
        if file.name.endswith(".conllu" if nodes else "conll"):
            digest.update(f"{disk.show_name(file.name)} {disk.sha256(file)}\n".encode())
    return digest.hexdigest()[:_DIGITS]
