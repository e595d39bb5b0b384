"""Carries names over an article: what is a person's name in most occurrences is one in all.

A recogniser that sees one sentence at a time finds "Lydgate" here and misses it there. A missed
mention makes wrong examples (the "only other" name was not the only one) and loses right ones.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import replace
from typing import NamedTuple

from corefmill.builders.nlp import Analysis, Entity
from corefmill.builders.persons.elision import settled
from corefmill.builders.persons.names import Name, bare, tidied, with_honorifics, word_before
from corefmill.builders.persons.one_name import name_forms, renamed
from corefmill.builders.persons.table import PersonWords
from corefmill.corpora import languages

_TIMES = 3
"""A name is carried when at least so many mentions, and a good share of all, were found."""
_FULL_NAMES = 2
"""A surname is one of an article when a full name that ends in it was found so often. Of 690 such
words that en_core_web_sm calls organisations 97 % are persons, of 345 behind one full name 74 %."""
_PER_PATTERN = 500  # names in one alternation; the most frequent ones are kept
_JOINT = re.compile(r" (?P<word>[^\W\d_]+) ")
_WORD_BEFORE = re.compile(r"[^\W\d_][\w.]* $")
_WORD_BEHIND = re.compile(r" (?P<word>\w+)")


def spread(analyses: Sequence[Analysis], table: PersonWords) -> list[list[Name]]:
    """The tidied names of each analysis of one article, with the missed mentions of known names."""
    found = _parted([tidied(analysis, table) for analysis in analyses], table)
    texts = [analysis.text for analysis in analyses]
    if any("'" in word for word in table.prepositions):
        found = settled(found, texts, table)
    known = _known(renamed(found, table), texts, table)
    if known is not None:
        found = [
            _completed(text, names, known, table) for text, names in zip(texts, found, strict=True)
        ]
    return renamed(found, table)


def with_surnames(analyses: Sequence[Analysis]) -> list[Analysis]:
    """Call the one-word organisations of an article persons that are the surname of one.

    Recognisers trained on news take "Lincoln" alone for a company, beside "Abraham Lincoln".
    """
    ends = (
        words[-1]
        for analysis in analyses
        for entity in analysis.entities
        if entity.label == "PERSON" and len(words := _words(analysis, entity)) > 1
    )
    surnames = {(word,) for word, times in Counter(ends).items() if times >= _FULL_NAMES}

    def labelled(analysis: Analysis, entity: Entity) -> Entity:
        is_surname = entity.label == "ORG" and _words(analysis, entity) in surnames
        return replace(entity, label="PERSON") if is_surname else entity

    return [
        replace(analysis, entities=tuple(labelled(analysis, one) for one in analysis.entities))
        for analysis in analyses
    ]


def _words(analysis: Analysis, entity: Entity) -> tuple[str, ...]:
    return tuple(analysis.text[entity.start : entity.end].split())


def _parted(found: Sequence[Sequence[Name]], table: PersonWords) -> list[list[Name]]:
    """The names, those cut in two that are two names of the document with "and" between them, and
    those cut short that a noun stands beside."""
    alone = {name.text for names in found for name in names}
    parted = [[part for name in names for part in _parts(name, alone, table)] for names in found]
    if not table.nouns:
        return parted
    return [[_without_noun(name, alone, table) for name in names] for names in parted]


def _without_noun(name: Name, alone: Container[str], table: PersonWords) -> Name:
    """A name without the noun that it is the genitive of, where nouns have capitals: "Caspars" of
    "Caspars Zimmer" and of "Schreck Caspars", in a document that names Caspar."""
    words = name.text.split()
    for at, word in enumerate(words[:5] if len(words) > 1 else ()):
        read = table.declension.readings(word).items()
        if not any(of.weak and one != word and one in alone for one, of in read):
            continue
        first = at if at and not _belong(words[:at], alone, table) else 0
        kept = " ".join(words[first : at + 1])
        start = name.start + (len(" ".join(words[:first])) + 1 if first else 0)
        return replace(name, start=start, end=start + len(kept), text=kept)
    return name


def _belong(words: Sequence[str], alone: Container[str], table: PersonWords) -> bool:
    """Whether words before a name may be its own: an honorific, a particle, a given name."""
    return all(
        word in table.titles
        or word in table.particles
        or word in alone
        or word in table.name_groups
        or bool(languages.genders_of_name(word))
        for word in words
    )


def _parts(name: Name, alone: Container[str], table: PersonWords) -> tuple[Name, ...]:
    for match in _JOINT.finditer(name.text):
        left, right = name.text[: match.start()], name.text[match.end() :]
        if match["word"] in table.joining and left in alone and right in alone:
            second = name.start + match.end()
            return Name(name.start, name.start + len(left), left), Name(second, name.end, right)
    return (name,)


class _KnownNames(NamedTuple):
    """Matches the names that are carried, longest first; `inflected` are the forms of them that no
    noun can follow as a part of the name ("Annas Hut")."""

    pattern: re.Pattern[str]
    inflected: Container[str]


def _known(
    found: Sequence[Sequence[Name]], texts: Sequence[str], table: PersonWords
) -> _KnownNames | None:
    """The names that are persons' in most of their occurrences."""
    counted = Counter(bare(name.text, table) for names in found for name in names)
    frequent = [name for name, times in counted.most_common(_PER_PATTERN) if times >= _TIMES]
    if not frequent:
        return None
    forms = _forms(frequent, table)
    any_name = _alternation([*forms])
    seen: Counter[str] = Counter()
    behind: Counter[str] = Counter()
    for text in texts:
        for match in any_name.finditer(text):
            name = forms[match.group()]
            seen[name] += 1
            if table.declensions:
                behind[name] += word_before(text, match.start(), table)[0] in table.thing_marks
    known = {
        name
        for name in frequent
        if counted[name]
        >= seen[name] * table.least_share(name, seen[name], behind[name] / max(1, seen[name]))
    }
    kept = [form for form, name in forms.items() if name in known]
    inflected = {form for form in kept if table.nouns and form != forms[form]}
    return _KnownNames(_alternation(kept), inflected) if kept else None


def _forms(names: Sequence[str], table: PersonWords) -> dict[str, str]:
    """The name that each form of the names is of; a form that two have is the more frequent's."""
    forms = {name: name for name in names}
    if table.names_vary:
        for name in names:
            for form in name_forms(name, table):
                forms.setdefault(form, name)
    return forms


def _alternation(names: Sequence[str]) -> re.Pattern[str]:
    longest_first = sorted(names, key=lambda name: (-len(name), name))
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, longest_first))})(?![\w-])")


def _completed(text: str, names: list[Name], known: _KnownNames, table: PersonWords) -> list[Name]:
    taken = [(name.start, name.end) for name in names]
    added: list[Name] = []
    for match in known.pattern.finditer(text):
        start, end = match.span()
        if any(s < end and start < e for s, e in taken):
            continue
        if _behind_capital(text, start, table):
            continue  # half of a longer name
        if _before_capital(text, end, table) and match.group() not in known.inflected:
            continue
        start = with_honorifics(text, start, table)
        added.append(Name(start, end, text[start:end]))
    return sorted((*names, *added), key=lambda name: name.start) if added else names


def _behind_capital(text: str, start: int, table: PersonWords) -> bool:
    """Whether a word with a capital stands before; where all nouns have one, an honorific or what
    is no given name ("die Schritte Annas") does not count."""
    before = _WORD_BEFORE.search(text, max(0, start - 30), start)
    if before is None:
        return False
    word = before.group().strip()
    if word.islower() or word in table.never_names or word in table.nouns:
        return False
    return not table.nouns or word in table.name_groups or bool(languages.genders_of_name(word))


def _before_capital(text: str, end: int, table: PersonWords) -> bool:
    behind = _WORD_BEHIND.match(text, end)
    if behind is None or not behind["word"][0].isupper():
        return False
    return behind["word"] not in table.nouns
