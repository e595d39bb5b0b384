"""`--propose-table`: a draft of a language's table of event infoboxes, for a person to go over.

Each infobox that `--list-infoboxes` would show is asked how many of its pages are events by another
witness:

1. a list of events whose titles are of this language,
2. or of another language, and a file that says which article here is which there,
3. without a list only its name: a word that an event's infobox has in a language that has a table
   ("festival"), or that begins as one of these does; else a redirect to it, which many wikis keep
   under the English name, so that one in another script than those tables are in is found, too.

The draft is TOML that `--infoboxes` takes. What counts were found, and examples, stand in it as
comments; dates are for a person to add, since nothing here knows the language's months.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import chain
from pathlib import Path

from corefmill.builders.wec.event_pages.infobox_counts import (
    outer_infoboxes,
    read_articles,
    with_targets,
    written_name,
)
from corefmill.builders.wec.facts import event_list, infoboxes, lexicon, templates
from corefmill.builders.wec.facts.dates import days
from corefmill.builders.wec.facts.event_list import ListedEvents
from corefmill.builders.wiki.dump.chunks import Chunk
from corefmill.corpora import lines
from corefmill.corpora.errors import DataError
from corefmill.corpora.printable import printable
from corefmill.corpora.words import without_accents

_EXAMPLES = 3
_LEAST_SHARE = 0.5  # of an infobox's pages must be events, or it is named in a comment only
_WORD_SHARE = 1 / 3  # of the names have the word for infobox
_STEM = 6  # letters that two words of different languages share
_FEWEST_DATED = 0.5  # of an infobox's event pages must have a year in a field that holds its date
_MOST_NAMED = 40  # infoboxes that the comment on the uncertain ones names
_NO_NAME = (
    " by its name, which is compared with those of"
    f" {', '.join(infoboxes.shipped())}, nor by a redirect's"
)


@dataclass(slots=True)
class InfoboxEvidence:
    """An infobox of a dump: its pages, and the types of those that are events."""

    name: str
    """As the dump writes it first."""
    pages: int = 0
    types: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)
    """Titles of its first pages that are events, of its first pages where there is no list."""
    redirects: list[str] = field(default_factory=list)
    """Other names that lead to it, squeezed as `templates.squeeze` does."""
    dated: Counter[str] = field(default_factory=Counter)
    """Fields of its pages in which a year stands."""

    @property
    def events(self) -> int:
        """How many of its pages are events."""
        return self.types.total()


def listed_titles(listed: ListedEvents, title_pairs: Path | None = None) -> dict[str, str]:
    """The event type of each listed article, by its title in the dump's language.

    `title_pairs` has lines of a title in that language, a tab, and the title in the list's
    language; without it the list is of the dump's language. Raises `DataError` naming file and
    line.
    """
    types = {title: article.event_type for title, article in listed.titles.items()}
    if title_pairs is None:
        return types
    found = {}
    for number, line in lines.read(title_pairs):
        if not line.strip():
            continue
        here, tab, there = line.partition("\t")
        if not tab or "\t" in there:
            raise DataError(
                "not two columns, a title in --lang and the title in the list's language",
                path=title_pairs,
                line=number,
                remedy="separate them by one tab; a wiki's langlinks are for --links",
            )
        if event_type := types.get(event_list.as_title(there)):
            found[event_list.as_title(here)] = event_type
    return found


def propose_table(
    chunks: Iterable[Chunk],
    lang: str,
    listed: Mapping[str, str] | None = None,
    reject: Callable[[str, str], None] | None = None,
) -> str:
    """The draft of a table for `lang`, by the articles of a dump.

    `chunks` are those of `DumpSource`; `listed` has the event types of articles by title, from
    `listed_titles`. Raises `DataError` where nothing in the dump looks like an event's infobox.
    """
    rows = _evidence(chunks, lang, listed, reject)
    if listed is None:
        for row in rows:
            if event_type := type_by_name(row.name) or _type_by_redirect(row.redirects):
                row.types[event_type] = row.pages
    sure = [row for row in rows if row.events and row.events >= _LEAST_SHARE * row.pages]
    if not sure:
        raise DataError(
            "no infobox of the dump is an event's"
            + (_NO_NAME if listed is None else ": half of its pages on listed events"),
            remedy="give an --event-list of articles that the dump has; --list-infoboxes shows what"
            " is there",
        )
    unsure = [row for row in rows if row.events and row not in sure]
    return "\n".join(_draft(lang, rows, sure, unsure, by_name=listed is None)) + "\n"


def type_by_name(name: str) -> str:
    """The event type that a word of an infobox's name says, "" for none."""
    nouns = _nouns()
    said = lexicon.words(without_accents(name))
    whole = (nouns[word] for word in said if word in nouns)
    begun = (
        nouns[noun]
        for word in said
        for noun in nouns
        if len(noun) >= _STEM and word.startswith(noun[:_STEM])
    )
    return next(chain(whole, begun), "")


def _type_by_redirect(names: Iterable[str]) -> str:
    """The type of the first of squeezed names that stands in a table that ships, "" for none."""
    tables = [infoboxes.load(lang).of_name for lang in infoboxes.shipped()]
    types = (table[name].name for name in names for table in tables if name in table)
    return next(types, "")


@cache
def _nouns() -> dict[str, str]:
    """Nouns that alone name an event's infobox or a class of events, and the type they stand for.

    Of classes only words that the English table has as events.
    """
    found: dict[str, str] = {}
    for lang in infoboxes.shipped():
        table, known = infoboxes.load(lang), lexicon.load(lang)
        for name, event_type in table.of_name.items():
            for prefix in table.prefixes:
                name = name.removeprefix(prefix)
            for ending in table.endings:
                name = name.removesuffix(ending)
            if known.is_event(name):
                found.setdefault(without_accents(name), event_type.name)
    english = lexicon.load("en").events
    for event_class, kind in event_list.mapping().items():
        if event_class in english:
            found.setdefault(event_class, kind)
    return found


def _evidence(
    chunks: Iterable[Chunk],
    lang: str,
    listed: Mapping[str, str] | None,
    reject: Callable[[str, str], None] | None,
) -> list[InfoboxEvidence]:
    """The first infobox of each article, most frequent first, redirects under their target."""
    found: dict[str, InfoboxEvidence] = {}
    aliases = read_articles(chunks, lang, partial(_witness, found, listed), reject)
    merged: dict[str, InfoboxEvidence] = {}
    for name, target in with_targets(found, aliases):
        _add(merged.setdefault(target, InfoboxEvidence(found[name].name)), found[name])
    for alias in sorted(aliases):
        *_, target = templates.chain(alias, aliases)
        if target in merged:
            merged[target].redirects.append(alias)
    return sorted(merged.values(), key=lambda row: (-row.pages, row.name))


def _witness(
    found: dict[str, InfoboxEvidence],
    listed: Mapping[str, str] | None,
    title: str,
    text: str,
    prefixes: Sequence[str],
) -> None:
    lead = templates.lead(text)
    call = next(outer_infoboxes(lead, prefixes), None)
    if call is None:
        return
    row = found.get(call.name)
    if row is None:
        row = found[call.name] = InfoboxEvidence(written_name(lead, call))
    row.pages += 1
    event_type = listed.get(title, "") if listed is not None else ""
    if event_type:
        row.types[event_type] += 1
    if listed is None or event_type:
        if len(row.examples) < _EXAMPLES:
            row.examples.append(title)
        own = templates.infobox(lead, call).fields
        row.dated.update(name for name, value in own.items() if days(value, ()))


def _add(row: InfoboxEvidence, other: InfoboxEvidence) -> None:
    row.pages += other.pages
    row.types += other.types
    row.dated += other.dated
    row.examples = (row.examples + other.examples)[:_EXAMPLES]


def _draft(
    lang: str,
    rows: Sequence[InfoboxEvidence],
    sure: Sequence[InfoboxEvidence],
    unsure: Sequence[InfoboxEvidence],
    *,
    by_name: bool,
) -> Iterator[str]:
    """The lines of the TOML."""
    witness = "the words of their names alone" if by_name else "a list of events"
    yield f"# Draft of a table of event infoboxes for {lang!r}, by {witness}: go over every line."
    yield "# The keys are explained in infoboxes/en.toml of the package. Types, validators, what is"
    yield "# left out on purpose ([[out]]), the other fields and [words] with the months are yours."
    yield ""
    first, last = _infobox_words(rows)
    yield f"prefixes = {_strings(first)}"
    if last:
        yield f"endings = {_strings(last)}"
    by_type: dict[str, list[InfoboxEvidence]] = {}
    for row in sure:
        by_type.setdefault(_main_type(row), []).append(row)
    for event_type, own in sorted(by_type.items(), key=lambda entry: -_pages(entry[1])):
        yield ""
        for row in own:
            yield _comment(row, by_name=by_name)
        yield "[[types]]"
        yield f"name = {_string(event_type)}"
        yield f"templates = {_strings([row.name for row in own])}"
    if unsure:
        yield ""
        yield "# Fewer than half of the pages are listed events: of these some may belong above."
        yield from (_comment(row, by_name=by_name) for row in unsure[:_MOST_NAMED])
    if dates := _date_fields(sure, by_name=by_name):
        yield ""
        yield "# Fields in which most of their pages have a year."
        yield "[fields]"
        yield f"date = {_strings(dates)}"


def _comment(row: InfoboxEvidence, *, by_name: bool) -> str:
    if by_name:
        said = f"{row.pages:,} pages"
    else:
        kinds = ", ".join(f"{kind} {count:,}" for kind, count in _ranked(row.types))
        said = f"{row.events:,} of {row.pages:,} pages ({kinds})"
    shown = f"{row.name}: {said}: {', '.join(row.examples)}"
    return f"# {' '.join(printable(shown).split())}"  # one line, whatever a title holds


def _infobox_words(rows: Sequence[InfoboxEvidence]) -> tuple[list[str], list[str]]:
    """The word for infobox: what many of the names begin with, or what many end with."""
    said = [words for row in rows if len(words := row.name.replace("/", " ").split()) > 1]
    first = Counter(words[0] for words in said)
    last = Counter(words[-1] for words in said)
    least = max(2, _WORD_SHARE * len(rows))
    begins = [word for word, count in _ranked(first) if count >= least][:1]
    ends = [word for word, count in _ranked(last) if count >= least][:1]
    if begins and ends and last[ends[0]] > first[begins[0]]:
        begins = []
    return begins, [] if begins else ends


def _date_fields(rows: Sequence[InfoboxEvidence], *, by_name: bool) -> list[str]:
    found: Counter[str] = Counter()
    for row in rows:
        least = _FEWEST_DATED * (row.pages if by_name else row.events)
        found.update({name: n for name, n in row.dated.items() if n >= least})
    return [name for name, _ in _ranked(found)]


def _main_type(row: InfoboxEvidence) -> str:
    return _ranked(row.types)[0][0]


def _ranked(counted: Counter[str]) -> list[tuple[str, int]]:
    """Most frequent first, then by name."""
    return sorted(counted.items(), key=lambda entry: (-entry[1], entry[0]))


def _pages(rows: Iterable[InfoboxEvidence]) -> int:
    return sum(row.pages for row in rows)


def _string(text: str) -> str:
    """A basic string of TOML, which knows the escapes of JSON and `printable`."""
    return printable(json.dumps(text, ensure_ascii=False))


def _strings(texts: Sequence[str]) -> str:
    return f"[{', '.join(map(_string, texts))}]"
