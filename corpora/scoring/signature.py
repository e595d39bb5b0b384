"""The signature of a score, after sacreBLEU's (Post 2018): a line that says what a number means.

    clusters|metrics:muc+bcub|rules:corefud-1.2|match:head|zeros:dependent|singletons:drop|
    unmatched:refuse|documents:12|bootstrap:1000|seed:0|key:90cd2154a3e4b5f6|version:0.1.0

Two scores have the same signature if and only if they are of the same key, counted by the same
rules. So there are metrics in one order whatever was asked, no name of a file, and no seed where
nothing was drawn. Values that a user may choose freely are written as in an address (`%20`). That
of an evaluation has its protocol in place of the rules:

    evaluation|metrics:accuracy|protocol:gold%20candidates|examples:454|bootstrap:2000|seed:0|...
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import get_args
from urllib.parse import quote, unquote

from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.scoring.anaphors import LeftOut
from corefmill.corpora.scoring.matching import Matching

NODE_RULES = "corefud-1.2"
COLUMN_RULES = "conll-8.01"
"""Whose rules on mentions hold: corefud-scorer's, or the reference scorer's."""

_FIELDS = (
    *("metrics", "rules", "match", "zeros", "singletons", "left-out", "unmatched", "group"),
    *("documents", "examples", "bootstrap", "seed", "key", "version"),
)
"""Those of a score, which `score` makes again."""
_CHOICES = {
    "rules": (COLUMN_RULES, NODE_RULES),
    "match": ("exact", "head", "partial"),
    "zeros": ("none", "linear", "dependent"),
    "singletons": ("keep", "drop"),
    "unmatched": ("refuse", "ignore"),
}
_NUMBERS = ("documents", "examples", "bootstrap", "seed")
_DIGITS = 16
"""Of the key's SHA-256, enough to tell any two keys of a project apart."""


@dataclass(frozen=True, slots=True)
class Signature:
    """What is scored (`clusters`, `gap`, `examples`), and the fields in their order."""

    what: str
    fields: Mapping[str, str]

    def __str__(self) -> str:
        said = (f"{name}:{quote(value, safe='+.-')}" for name, value in self.fields.items())
        return "|".join((self.what, *said))

    @property
    def matching(self) -> Matching | None:
        """How mentions are compared, None where they match if they are equal."""
        if self.fields.get("rules") != NODE_RULES:
            return None
        how, zeros = self.fields.get("match"), self.fields.get("zeros")
        assert how in ("exact", "head", "partial") and zeros in ("none", "linear", "dependent")
        return Matching(how, zeros)  # type: ignore[arg-type]

    def number(self, name: str) -> int | None:
        """The value of a field that is a number, None where the signature lacks it."""
        said = self.fields.get(name)
        return None if said is None else int(said)

    def check(self, key: Path) -> None:
        """Raise `DataError` where the file or folder is not the key of this signature."""
        found, own = checksum(key, self.fields.get("rules") == NODE_RULES), self.fields["key"]
        if found != own:
            raise DataError(
                f"is another key than the signature's: its checksum is {found}, not {own}",
                path=key,
                remedy="scores against two keys do not compare",
            )


def make_signature(
    what: str,
    metrics: Iterable[str],
    rules: Mapping[str, str],
    *,
    size: tuple[str, int],
    drawn: tuple[int, int] | None,
    key: str,
) -> Signature:
    """The signature of any score: `rules` are the fields that say how was counted.

    `size` is what the key holds, such as documents, and how many; `drawn` the number of draws and
    their seed, if there were any; `key` the key's checksum.
    """
    fields = {"metrics": "+".join(metrics), **rules, size[0]: str(size[1])}
    if drawn is not None:
        fields |= {"bootstrap": str(drawn[0]), "seed": str(drawn[1])}
    return Signature(what, fields | {"key": key, "version": version("corefmill")})


def checksum_of(files: Iterable[Path], *choice: str) -> str:
    """That of files with any names, in any order; of one alone, its `checksum`.

    `choice` is what says which of their records are meant, where not all are.
    """
    sums = sorted(map(disk.sha256, files))
    if len(sums) > 1 or choice:
        sums = [hashlib.sha256("\n".join([*choice, *sums]).encode()).hexdigest()]
    return sums[0][:_DIGITS]


def checksum(key: Path, nodes: bool = False) -> str:
    """The first digits of a file's SHA-256; of a folder, that of its files' names and sums.

    Its files are those that are read: *.conllu where `nodes` are scored, else *conll.
    """
    if not key.is_dir():
        return checksum_of([key])
    digest = hashlib.sha256()
    for file in disk.list_folder(key):
        if file.name.endswith(".conllu" if nodes else "conll"):
            digest.update(f"{disk.show_name(file.name)} {disk.sha256(file)}\n".encode())
    return digest.hexdigest()[:_DIGITS]


def parse_signature(text: str) -> Signature:
    """The signature that a line is; raises `UsageError` for one that is none."""
    what, *said = text.strip().split("|")
    pairs = [one.partition(":") for one in said]
    fields = {name: unquote(value) for name, _, value in pairs}
    wrong = [name for name in fields if name not in _FIELDS]
    wrong += [name for name, known in _CHOICES.items() if fields.get(name, known[0]) not in known]
    for name in _NUMBERS:
        number = fields.get(name, "1")
        if not (number.isdecimal() and number.isascii() and len(number) < 19):
            wrong.append(name)
    wrong += [name for name in ("metrics", "key", "version") if name not in fields]
    if not set(fields.get("left-out", "").split("+")) <= {"", *get_args(LeftOut)}:
        wrong.append("left-out")
    if fields.get("rules") == NODE_RULES:
        wrong += [name for name in ("match", "zeros") if name not in fields]
    if what not in ("clusters", "gap", "examples") or len(fields) < len(pairs):
        wrong.append(what)
    if wrong:
        raise UsageError(
            f"--signature {text[:60]!r} is no signature of a score: see {wrong[0][:40]!r}",
            remedy="it is the whole last line that `corefmill score` prints, in quotes",
        )
    return Signature(what, fields)


def find_citations(names: Iterable[str], rules: str | None) -> list[str]:
    """The BibTeX entries of what a score is made of: its metrics, and the scorer of its rules."""
    tables = disk.read_toml(Path(__file__).with_name("citations.toml"))
    found = [key for name in (*names, rules) for key in tables["of"].get(name, ())]
    return [tables["bibtex"][key].strip() for key in dict.fromkeys(found)]
