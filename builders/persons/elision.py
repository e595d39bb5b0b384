"""Whether an elided particle belongs to a name ("d'Artagnan") or to the sentence ("d'Emma").

Both look alike where they stand; the document tells. Who is ever named without the particle has a
name without it. Who never is, and is named with it where no preposition can stand ("de d'Artagnan",
"Charles d'Artagnan", "M. d'Artagnan"), has one with it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass, field, replace

from corefmill.builders.persons.names import Name
from corefmill.builders.persons.table import PersonWords, plain

_SELDOM = 0.1
"""The share of a name's occurrences that may lack the particle: slips, and other persons."""
_PARTICLE = re.compile(r"(?<!\w)[^\W\d_]['’]$")
_WORD_BEFORE = re.compile(r"[^\s'’\"“«(—–-]+['’]? $")
_WORD = re.compile(r"(?<![\w-])[^\W\d_][\w-]*")


@dataclass
class _Uses:
    """How a document uses a word that stands behind a particle somewhere."""

    alone: int = 0
    forms: Counter[str] = field(default_factory=Counter)
    """How often behind which form of the particle."""
    within_name: bool = False

    @property
    def particle(self) -> str:
        """The particle of the name as the document writes it, "" where it has none."""
        behind = sum(self.forms.values())
        if not self.within_name or self.alone > _SELDOM * (self.alone + behind):
            return ""
        return max(self.forms, key=lambda form: (form.islower(), self.forms[form], form))


def settled(
    found: Sequence[Sequence[Name]], texts: Sequence[str], table: PersonWords
) -> list[list[Name]]:
    """The names of each text of a document, with or without their elided particles.

    At the head of a sentence the particle's capital is the sentence's: `text` has it small where
    the document has it so elsewhere ("D'Artagnan").
    """
    pairs = [*zip(found, texts, strict=True)]
    parts = [[_parts(name, text, table) for name in names] for names, text in pairs]
    wanted = {_first(core) for here in parts for particle, core in here if particle}
    uses = _uses(wanted, texts, table)
    done: list[list[Name]] = []
    for (names, _), cut in zip(pairs, parts, strict=True):
        here: list[Name] = []
        for name, (particle, core) in zip(names, cut, strict=True):
            if particle:
                name = _with_particle(name, core, uses[_first(core)].particle, particle)
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


def _first(core: str) -> str:
    match = _WORD.match(core)
    return match.group() if match else ""


def _uses(wanted: Set[str], texts: Sequence[str], table: PersonWords) -> dict[str, _Uses]:
    """How the texts use those words, read once."""
    uses = {word: _Uses() for word in sorted(wanted)}
    if not wanted:
        return uses
    for text in texts:
        for match in _WORD.finditer(text):
            if (use := uses.get(match.group())) is None:
                continue
            before = _PARTICLE.search(text, max(0, match.start() - 3), match.start())
            if before and plain(before.group()) in table.prepositions:
                use.forms[before.group()] += 1
                left = text[max(0, before.start() - 20) : before.start()]
                use.within_name = use.within_name or _within_name(left, table)
            else:
                use.alone += 1
    return uses


def _within_name(left: str, table: PersonWords) -> bool:
    """Whether a name must go on behind what stands to the left."""
    before = _WORD_BEFORE.search(left)
    word = before.group().strip() if before else ""
    if word in table.titles or plain(word) in table.genitive | table.before_things:
        return True
    return word[:1].isupper() and word not in table.no_names


def _with_particle(name: Name, core: str, particle: str, here: str) -> Name:
    """The name as the document has it: its place and its text with the particle, or without."""
    if not particle:
        return Name(name.end - len(core), name.end, core) if name.text != core else name
    start = name.end - len(core) - len(here)
    return replace(name, start=min(name.start, start), text=particle + core)
