"""Whether an elided particle belongs to a name ("d'Artagnan") or to the sentence ("d'Emma").

Both look alike where they stand; the document tells. Who is ever named without the particle has a
name without it. Who never is, and is named with it where no preposition can stand ("de d'Artagnan",
"Charles d'Artagnan", "M. d'Artagnan"), has one with it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from corefmill.builders.persons.names import Name
from corefmill.builders.persons.table import PersonWords, plain

_SELDOM = 0.1
"""The share of a name's occurrences that may lack the particle: slips, and other persons."""
_PARTICLE = re.compile(r"(?<!\w)[^\W\d_]['’]$")
_WORD = re.compile(r"[^\s'’\"“«(—–-]+['’]? $")


def settled(
    found: Sequence[Sequence[Name]], texts: Sequence[str], table: PersonWords
) -> list[list[Name]]:
    """The names of each text of a document, with or without their elided particles.

    At the head of a sentence the particle's capital is the sentence's: `text` has it small where
    the document has it so elsewhere ("D'Artagnan").
    """
    known: dict[str, str] = {}
    done: list[list[Name]] = []
    for names, text in zip(found, texts, strict=True):
        here: list[Name] = []
        for name in names:
            particle, core = _parts(name, text, table)
            if particle:
                if core not in known:
                    known[core] = _particle_of(core, texts, table)
                name = _with_particle(name, text, core, known[core], particle)
            if not here or here[-1].end <= name.start:
                here.append(name)
        done.append(here)
    return done


def _parts(name: Name, text: str, table: PersonWords) -> tuple[str, str]:
    """The elided particle with which a name begins or which stands before it, and the name's rest;
    no particle where there is none."""
    prefix = table.elided_prefix(name.text)
    if plain(prefix) in table.prepositions:
        return prefix, name.text[len(prefix) :]
    before = _PARTICLE.search(text, max(0, name.start - 3), name.start)
    if before and plain(before.group()) in table.prepositions:
        return before.group(), name.text
    return "", ""


def _particle_of(core: str, texts: Sequence[str], table: PersonWords) -> str:
    """The particle of a name as the document writes it, "" where it has none."""
    every = re.compile(rf"(?<![\w-]){re.escape(core)}(?![\w-])")
    alone = times = 0
    forms: dict[str, int] = {}
    is_name = False
    for text in texts:
        for match in every.finditer(text):
            times += 1
            before = _PARTICLE.search(text, max(0, match.start() - 3), match.start())
            if not before or plain(before.group()) not in table.prepositions:
                alone += 1
                continue
            forms[before.group()] = forms.get(before.group(), 0) + 1
            is_name = is_name or _within_name(text[: before.start()], table)
    if alone > _SELDOM * times or not is_name:
        return ""
    return max(forms, key=lambda form: (form.islower(), forms[form], form))


def _within_name(left: str, table: PersonWords) -> bool:
    """Whether a name must go on behind what stands to the left."""
    before = _WORD.search(left[-20:])
    word = before.group().strip() if before else ""
    if word in table.titles or plain(word) in table.genitive | table.before_things:
        return True
    return word[:1].isupper() and word not in table.no_names


def _with_particle(name: Name, text: str, core: str, particle: str, here: str) -> Name:
    """The name as the document has it: its place and its text with the particle, or without."""
    end = name.end
    if not particle:
        return Name(end - len(core), end, core) if name.text != core else name
    start = end - len(core) - len(here)
    return replace(name, start=min(name.start, start), text=particle + core)
