"""How a word of a name stands wherever a document has it: behind which honorific, in which name."""

from __future__ import annotations

import re
from dataclasses import dataclass

from corefmill.builders.persons.table import PersonWords
from corefmill.builders.persons.usage import Usage
from corefmill.corpora import languages
from corefmill.corpora.records import Span

_REACH = 60  # characters on either side, for a name's other words
_OPENING = "\"'“‘«¡¿(\\[{*_—–-"
_NAME_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_INITIAL = re.compile(r"[^\W\d_]\.")


@dataclass(frozen=True, slots=True)
class NameUse:
    """One place: the honorific before the whole name ("" for none), and its words around ours."""

    place: Span
    title: str
    before: tuple[str, ...]
    after: tuple[str, ...]


def name_uses(name: str, usage: Usage, table: PersonWords) -> list[NameUse]:
    """Every place of the words `name` in the document."""
    found = []
    for start, end in usage.places(name):
        titles, before = _before(usage, start, table)
        after = _after(usage.text[end : end + _REACH])
        title = titles[-1] if titles else ""
        if table.names_vary:
            title = next(iter(table.title_forms.get(title, (title,))))
            before = tuple(map(usage.base, before))
        found.append(NameUse((start, end), title, before, after))
    return found


def _before(usage: Usage, offset: int, table: PersonWords) -> tuple[list[str], tuple[str, ...]]:
    """The honorifics and the words of the name that stand before it, from left to right."""
    titles: list[str] = []
    names: list[str] = []
    left = usage.text[max(0, offset - _REACH) : offset].rpartition("\n")[2]
    if not left.endswith(" "):
        return titles, ()
    last = left[left.rfind(" ", 0, -1) + 1 : -1]
    if last[:1].islower() and last not in table.titles and last not in table.within_names:
        return titles, ()  # as the loop would find, for nearly all places
    of = False
    for word in reversed(left[:-1].split(" ")):
        bare = word.lstrip(_OPENING)
        if bare in (table.landed_titles if of else table.titles):
            titles.insert(0, bare)
        elif bare in table.within_names and bare == word:
            of = True  # "Honoré de Balzac", "M. de Balzac"; but "père de Julien" says whose
            continue
        elif titles or bare in table.titles or not _may_be_given(bare, table):
            break
        else:
            names.insert(0, bare)
        of = False
        if bare != word:
            break
    if names and not titles and usage.is_oftener_small(names[0]):
        names.pop(0)  # a verb: "Will" or "May" at the head of a question
    return titles, tuple(names)


def _may_be_given(word: str, table: PersonWords) -> bool:
    """Whether a word before a name may be a name, too. Where all nouns have capitals it must be a
    given name that is listed."""
    if _INITIAL.fullmatch(word):
        return word[0].isupper()
    if not _NAME_WORD.fullmatch(word) or not word[0].isupper() or word in table.no_names:
        return False
    return not table.nouns or word in table.name_groups or bool(languages.genders_of_name(word))


def _after(right: str) -> tuple[str, ...]:
    """The capitalised words right behind the name."""
    words: list[str] = []
    if not right.startswith(" ") or not (right[1:2].isupper() or right[2:3] == "."):
        return ()  # as the loop would find, for nearly all places
    for word in right[1:].split(" "):
        core = _NAME_WORD.match(word)
        if not (core and word[0].isupper()) and not _INITIAL.fullmatch(word):
            break
        name = core.group().removesuffix("'s").removesuffix("’s") if core else word
        words.append(name)
        if name != word:
            break
    return tuple(words)
