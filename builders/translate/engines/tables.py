"""Look up translations in tables: the user's tables, and the table of corefmill's sample.

With the sample's table a build runs without any translator installed.

`sample_table.tsv` has a line a sentence: the text, and its translation into each language of the
first line. `{2:the spare key}` is mention 2 of the sentence, in the text and in the translations.
Mentions may be nested. `{1?Lei}` is a pronoun left out unless the text has its mention.

1. A text is found by its words, with or without marks around its mentions (`<1>the key</1>`), and
   with any word, or two joined by "and", in the place of a mention: a placeholder.
2. The translation has the same marks and placeholders. A preposition is written together with an
   article behind it (`a la clinica`: `alla clinica`).
3. A mention alone is its own translation in the first sentence that has it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from corefmill.builders.translate.engines.protocol import (
    NotAnswered,
    TranslatorRequest,
)
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.files.terminal import one_line, shorten
from corefmill.corpora.files.writing import ensure_folder, write_whole
from corefmill.corpora.words import split_lines
from corefmill.rules.articles import Articles
from corefmill.rules.es.writing import ARTICLES as SPANISH
from corefmill.rules.it.writing import ARTICLES as ITALIAN

_LONGEST = 1 << 20
"""Bytes of a line: a text and its translation."""


class SentenceTable:
    """Translator by the user's tables; notes down texts that no table has.

    Raises `DataError` for a table that cannot be read, or that answers one text in two ways.
    """

    def __init__(self, asked: TranslatorRequest) -> None:
        self._pairs = _pairs(asked.table)
        self.source, self.target = asked.source, asked.target
        told = json.dumps(sorted(self._pairs.items())).encode("utf-8", "replace")
        self.fingerprint = f"table {hashlib.blake2b(told, digest_size=8).hexdigest()}"
        self.name = " ".join(["table", *(path.name for path in asked.table)])
        self._folder = asked.missing and asked.missing / self.fingerprint.split()[1]
        self._noted: set[str] = set()
        self._owner = 0

    def translate(self, texts: Sequence[str]) -> list[str | DataError]:
        """Look texts up in the tables; a missing text gives `NotAnswered` and is noted down."""
        lines = [one_line(text) for text in texts]
        self._note([line for line in lines if line and line not in self._pairs])
        return [
            self._pairs.get(line) or NotAnswered(f"no table has a translation of {shorten(line)}")
            if line
            else ""
            for line in lines
        ]

    def missing(self) -> list[str]:
        """List the texts without a translation that all processes of this build noted; sorted."""
        found = set()
        if self._folder is not None and self._folder.is_dir():
            for path in sorted(self._folder.iterdir()):
                for line in path.read_bytes().split(b"\n"):
                    with suppress(ValueError):  # a kill may have cut one; it is asked for again
                        found.add(json.loads(line))
        return sorted(found)

    def _note(self, texts: Sequence[str]) -> None:
        """Append missing texts to this process's own file, which needs no lock."""
        if self._owner != os.getpid():
            self._owner = os.getpid()
            self._noted = set()
        new = sorted(set(texts) - self._noted)
        if self._folder is None or not new:
            return
        self._noted |= set(new)
        ensure_folder(self._folder)
        with (self._folder / f"{socket.gethostname()}-{os.getpid()}").open("ab") as out:
            # A killed process of the same number may have left half a line.
            out.write("".join(f"\n{json.dumps(text)}" for text in new).encode())


def write_texts(path: Path, texts: Sequence[str]) -> None:
    """Write the texts to be translated as a table without translations."""
    write_whole(path, "".join(f"{text}\t\n" for text in texts))


def _pairs(tables: Sequence[Path]) -> dict[str, str]:
    """Read the texts and translations of all tables, leaving out texts without translation."""
    found: dict[str, tuple[str, Path, int]] = {}
    for path in tables:
        lines = (
            part
            for _, line in disk.read_lines(path, _LONGEST)
            # Only LF ends a row: other line ends within a text do not cut it in two.
            for part in ([line] if line.count("\t") < 2 else split_lines(line))
        )
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            cells = line.split("\t")
            if len(cells) != 2:
                raise DataError(
                    f"{len(cells)} cells in the line instead of a text and its translation",
                    path=path,
                    line=number,
                    remedy="put one tab between the two",
                )
            text, translation = map(one_line, cells)
            if not text:
                raise DataError("a translation without its text", path=path, line=number)
            if not translation:
                continue
            before, other, at = found.setdefault(text, (translation, path, number))
            if before != translation:
                raise DataError(
                    f"{shorten(text)} has another translation in line {at}"
                    + (f" of {other}" if other != path else ""),
                    path=path,
                    line=number,
                    remedy="remove one of the two lines",
                )
    return {text: translation for text, (translation, _, _) in found.items()}


SAYS = "the translations of the sample that ship"
_TABLE = Path(__file__).with_name("sample_table.tsv")
_LANGUAGES: Mapping[str, tuple[str, Articles, str]] = {
    "it": ("e", ITALIAN, "a|da|di|in|su"),
    "es": ("y", SPANISH, "a|de"),
}
"""How two placeholders are joined, and the articles and prepositions that are written together."""

_PLURAL = ("i", "gli", "le", "loro", "due", "delle", "los", "las", "unos", "unas", "ellos", "ellas")
"""How a plural begins in the translations."""
_PIECE = re.compile(r"\{(\d+)([:?])|\}")
_OPEN, _CLOSE = r"[<\[]\d+[>\]]", r"[<\[]/\d+[>\]]"
_SLOT = r"[A-Z]\w+(?: and [A-Z]\w+)?"
_OWNER = re.compile(r"['’]s?$")


@dataclass(frozen=True, slots=True)
class TableMention:
    """A mention in a template; one that is not `needed` may be absent from the text."""

    number: str
    needed: bool
    pieces: Template


Template: TypeAlias = "tuple[str | TableMention, ...]"


def languages() -> list[str]:
    """List the target languages of the sample."""
    return list(_LANGUAGES)


class SampleTable:
    """Translator for the English sample alone. Raises `UsageError` for other languages."""

    def __init__(self, asked: TranslatorRequest) -> None:
        if asked.source != "en" or asked.target not in _LANGUAGES:
            raise UsageError(
                f"the sample is not translated from {asked.source!r} to {asked.target!r}",
                remedy=f"it is translated from 'en' to {', '.join(_LANGUAGES)}",
            )
        self.source, self.target = asked.source, asked.target
        self.name = f"sample: {SAYS}"
        self.fingerprint = f"sample {disk.hash_files([('', _TABLE)])}"
        self._and, self._articles, prepositions = _LANGUAGES[asked.target]
        self._before_article = re.compile(
            rf"\b({prepositions}) ((?:{_OPEN})*)(\w+\b['’]?)", re.IGNORECASE
        )
        self._rows: list[tuple[re.Pattern[str], Template]] = []
        self._alone: dict[str, str] = {}
        for text, translation in rows(asked.target):
            made = parse(translation)
            self._rows.append((re.compile(_build_pattern(parse(text))), made))
            own = dict(_mentions(made))
            for number, mention in _mentions(parse(text)):
                words = _OWNER.sub("", "".join(_plain(mention.pieces)))
                self._alone.setdefault(small(words), self._write(own[number].pieces, {}))

    def translate(self, texts: Sequence[str]) -> list[str | DataError]:
        """Translate as the protocol says; a text fails if it is not in the sample."""
        return [self._translate_one(one_line(text)) for text in texts]

    def _translate_one(self, text: str) -> str | DataError:
        """Match a text to the sample's sentences and fill the translation of the best one."""
        if not text or small(text) in self._alone:
            return self._alone.get(small(text), "")
        fits = [(found, made) for row, made in self._rows if (found := row.fullmatch(text))]
        if not fits:
            return DataError(
                f"{shorten(text)} is not a sentence of the sample of corefmill",
                remedy="name another translator by --translator",
            )
        found, made = min(fits, key=lambda fit: _rate_match(*fit))
        written = self._write(made, found.groupdict())
        first = next((at for at, letter in enumerate(written) if letter.isalpha()), 0)
        return written[:first] + written[first].upper() + written[first + 1 :]

    def _write(self, template: Template, forms: Mapping[str, str | None]) -> str:
        """Fill a template with the marks and placeholders found in the text."""
        made = re.sub("  +", " ", "".join(self._pieces(template, forms))).strip()

        def contract(match: re.Match[str]) -> str:
            """Join a preposition and the article behind it into one word."""
            preposition, marks, article = match.groups()
            known = self._articles.split(article)
            if known is None or known.family != "definite" or known.preposition:
                return match[0]
            return marks + self._articles.contract(preposition, article)

        return self._before_article.sub(contract, made)

    def _pieces(self, template: Template, forms: Mapping[str, str | None]) -> Iterator[str]:
        """Yield the pieces of a template with the marks and placeholders of the text."""
        for piece in template:
            if isinstance(piece, str):
                yield piece
                continue
            opened, closed = (forms.get(f"{n}{piece.number}") or "" for n in ("open", "close"))
            slot = forms.get(f"slot{piece.number}")
            yield opened
            if slot:
                yield slot.replace(" and ", f" {self._and} ")
            elif piece.needed or opened or not forms:
                yield from self._pieces(piece.pieces, forms)
            yield closed


def small(text: str) -> str:
    """Give a text a small first letter."""
    return text[:1].lower() + text[1:]


def rows(target: str) -> Iterator[tuple[str, str]]:
    """Read the English sentences of the sample and their translations."""
    head, *lines = (line.split("\t") for line in _TABLE.read_text("utf-8").splitlines())
    column = head.index(target)
    for cells in lines:
        yield cells[0], cells[column]


def parse(template: str) -> Template:
    """Parse a template into pieces of text and mentions."""
    open_: list[tuple[str, bool, list[str | TableMention]]] = [("", True, [])]
    position = 0
    for found in _PIECE.finditer(template):
        open_[-1][2].append(template[position : found.start()])
        position = found.end()
        if found[1]:
            open_.append((found[1], found[2] == ":", []))
        else:
            number, needed, pieces = open_.pop()
            open_[-1][2].append(TableMention(number, needed, tuple(pieces)))
    ((_, _, whole),) = open_
    return (*whole, template[position:])


def _mentions(template: Template) -> Iterator[tuple[str, TableMention]]:
    """Yield the mentions of a template with their numbers, nested ones included."""
    for piece in template:
        if isinstance(piece, TableMention):
            yield piece.number, piece
            yield from _mentions(piece.pieces)


def _plain(template: Template) -> Iterator[str]:
    for piece in template:
        yield from [piece] if isinstance(piece, str) else _plain(piece.pieces)


def _build_pattern(template: Template) -> str:
    """Build the regular expression for all forms of a sentence with marks and placeholders."""
    made = []
    for piece in template:
        if isinstance(piece, str):
            made.append(re.escape(piece))
            continue
        number, inner = piece.number, _build_pattern(piece.pieces)
        made.append(
            rf"(?P<open{number}>{_OPEN})?(?:{inner}|(?P<slot{number}>{_SLOT})(?:['’]s?)?)"
            rf"(?P<close{number}>{_CLOSE})?"
        )
    return "".join(made)


def _rate_match(match: re.Match[str], template: Template) -> tuple[int, int]:
    """Rate a match, lower is better, by the number and fit of its placeholders."""
    slots = {key[4:]: text for key, text in match.groupdict().items() if text and key[:1] == "s"}
    own = dict(_mentions(template))
    first = {number: "".join(_plain(own[number].pieces)).split()[0].lower() for number in slots}
    return len(slots), sum(
        (" and " in text) != (first[number] in _PLURAL) for number, text in slots.items()
    )
