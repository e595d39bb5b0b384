"""Carry names over an article, and settle the elided particles before them.

A recogniser that sees one sentence at a time finds "Lydgate" here and misses it there. A missed
mention makes wrong examples (the "only other" name was not the only one) and loses right ones.

"d'Artagnan" and "d'Emma" look alike; the document tells the two apart. The name of a person who is
ever named without the particle does not include it. A name includes the particle if it always has
it and stands where no preposition can ("de d'Artagnan", "Charles d'Artagnan", "M. d'Artagnan").
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from corefmill.builders.nlp import Analysis, Entity
from corefmill.builders.persons.names import (
    Name,
    extend_to_honorifics,
    find_word_before,
    list_name_forms,
    strip_honorifics,
    tidy_names,
    unify_names,
)
from corefmill.builders.persons.table import PersonWords, plain
from corefmill.corpora import languages

_SELDOM = 0.1
"""The share of a name's occurrences that may lack the particle: slips, and other persons."""
_PARTICLE = re.compile(r"(?<!\w)[^\W\d_]['’]$")
_BEFORE_PARTICLE = re.compile(r"[^\s'’\"“«(—–-]+['’]? $")
_WORD = re.compile(r"(?<![\w-])[^\W\d_][\w-]*")


@dataclass
class _ParticleUses:
    """A document's uses of a word found behind a particle somewhere."""

    alone: int = 0
    forms: Counter[str] = field(default_factory=Counter)
    """How often behind which form of the particle."""
    within_name: bool = False

    @property
    def particle(self) -> str:
        """The particle of the name as the document writes it, "" for none."""
        behind = sum(self.forms.values())
        if not self.within_name or self.alone > _SELDOM * (self.alone + behind):
            return ""
        return max(self.forms, key=lambda form: (form.islower(), self.forms[form], form))


def settle_particles(
    found: Sequence[Sequence[Name]], texts: Sequence[str], table: PersonWords
) -> list[list[Name]]:
    """Decide for each name of a document whether an elided particle ("d'") is part of the name.

    At the head of a sentence the particle's capital is the sentence's: `text` has it small where
    the document has it so elsewhere ("D'Artagnan").
    """
    # 1. Split each name into a particle, its own or the one before it, and its rest.
    parts: list[list[tuple[Name, str, str]]] = []
    for names, text in zip(found, texts, strict=True):
        parts.append([])
        for name in names:
            particle = table.elided_prefix(name.text)
            if plain(particle) not in table.prepositions:
                particle = _particle_before(text, name.start, table)
            parts[-1].append((name, particle, name.text.removeprefix(particle)))
    # 2. Count how the document uses the first words behind particles.
    uses = {
        _first(core): _ParticleUses() for here in parts for _, particle, core in here if particle
    }
    for text in texts if uses else ():
        for match in _WORD.finditer(text):
            if (use := uses.get(match.group())) is None:
                continue
            if particle := _particle_before(text, match.start(), table):
                use.forms[particle] += 1
                # Behind a honorific, a preposition or another name, a name must go on.
                start = match.start() - len(particle)
                before = _BEFORE_PARTICLE.search(text[max(0, start - 20) : start])
                word = before.group().strip() if before else ""
                use.within_name |= (
                    word in table.titles
                    or plain(word) in table.genitive | table.before_things
                    or (word[:1].isupper() and word not in table.no_names)
                )
            else:
                use.alone += 1
    # 3. Each name has the particle of its word, or none.
    done: list[list[Name]] = []
    for row in parts:
        here: list[Name] = []
        for name, particle, core in row:
            if particle and (settled := uses[_first(core)].particle):
                start = min(name.start, name.end - len(core) - len(particle))
                name = replace(name, start=start, text=settled + core)
            elif particle and name.text != core:
                name = Name(name.end - len(core), name.end, core)
            if not here or here[-1].end <= name.start:
                here.append(name)
        done.append(here)
    return done


def _particle_before(text: str, start: int, table: PersonWords) -> str:
    """Find the elided preposition right before a place, "" for none."""
    before = _PARTICLE.search(text, max(0, start - 3), start)
    return before.group() if before and plain(before.group()) in table.prepositions else ""


def _first(core: str) -> str:
    match = _WORD.match(core)
    return match.group() if match else ""


_TIMES = 3
"""Least number of found mentions of a name that is carried; a good share of all is needed, too."""
_FULL_NAMES = 2
"""A surname is one of an article when a full name that ends in it was found so often. Of 690 such
words that en_core_web_sm calls organisations 97 % are persons, of 345 behind one full name 74 %."""
_PER_PATTERN = 500  # names in one alternation; the most frequent ones are kept
_JOINT = re.compile(r" (?P<word>[^\W\d_]+) ")
_WORD_BEFORE = re.compile(r"[^\W\d_][\w.]* $")
_WORD_BEHIND = re.compile(r" (?P<word>\w+)")


def spread_names(analyses: Sequence[Analysis], table: PersonWords) -> list[list[Name]]:
    """List the names of each paragraph of an article, with mentions the recogniser has missed."""
    found = [tidy_names(analysis, table) for analysis in analyses]
    alone = {name.text for names in found for name in names}
    found = [
        [part for name in names for part in _split_conjoined(name, alone, table)] for names in found
    ]
    if table.nouns:
        found = [[_cut_noun(name, alone, table) for name in names] for names in found]
    texts = [analysis.text for analysis in analyses]
    if any("'" in word for word in table.prepositions):
        found = settle_particles(found, texts, table)
    known = _collect_known(unify_names(found, table), texts, table)
    if known is not None:
        found = [
            _add_missed(text, names, known, table) for text, names in zip(texts, found, strict=True)
        ]
    return unify_names(found, table)


def relabel_surnames(analyses: Sequence[Analysis]) -> list[Analysis]:
    """Relabel one-word organisations as persons where the word is a surname in the article.

    Recognisers trained on news take "Lincoln" alone for a company, beside "Abraham Lincoln".
    """

    def read_words(analysis: Analysis, entity: Entity) -> tuple[str, ...]:
        return tuple(analysis.text[entity.start : entity.end].split())

    ends = Counter(
        words[-1]
        for analysis in analyses
        for entity in analysis.entities
        if entity.label == "PERSON" and len(words := read_words(analysis, entity)) > 1
    )
    surnames = {(word,) for word, times in ends.items() if times >= _FULL_NAMES}

    def label_entity(analysis: Analysis, entity: Entity) -> Entity:
        is_surname = entity.label == "ORG" and read_words(analysis, entity) in surnames
        return replace(entity, label="PERSON") if is_surname else entity

    return [
        replace(analysis, entities=tuple(label_entity(analysis, one) for one in analysis.entities))
        for analysis in analyses
    ]


def _cut_noun(name: Name, alone: Container[str], table: PersonWords) -> Name:
    """Cut a capitalised noun off the genitive of a name (German).

    "Caspars Zimmer" and "Schreck Caspars" are "Caspars" in a document that names Caspar.
    """
    words = name.text.split()
    for at, word in enumerate(words[:5] if len(words) > 1 else ()):
        if not table.is_genitive(word, alone.__contains__):
            continue
        first = at if at and not _belong(words[:at], alone, table) else 0
        kept = " ".join(words[first : at + 1])
        start = name.start + (len(" ".join(words[:first])) + 1 if first else 0)
        return replace(name, start=start, end=start + len(kept), text=kept)
    return name


def _belong(words: Sequence[str], alone: Container[str], table: PersonWords) -> bool:
    """Tell whether words before a genitive may be its own: an honorific but of kin, a particle, a
    given name."""
    return all(
        word in table.landed_titles
        or word in table.particles
        or word in alone
        or word in table.name_groups
        or bool(languages.genders_of_name(word))
        for word in words
    )


def _split_conjoined(name: Name, alone: Container[str], table: PersonWords) -> tuple[Name, ...]:
    """Split two names joined by "and", where the document has both alone."""
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


def _collect_known(
    found: Sequence[Sequence[Name]], texts: Sequence[str], table: PersonWords
) -> _KnownNames | None:
    """Collect the names used for persons in most of their occurrences."""
    counted = Counter(strip_honorifics(name.text, table) for names in found for name in names)
    frequent = [name for name, times in counted.most_common(_PER_PATTERN) if times >= _TIMES]
    if not frequent:
        return None
    # Map each form to its name; a form of two names is mapped to the more frequent name.
    forms = {name: name for name in frequent}
    for name in frequent if table.names_vary else ():
        for form in list_name_forms(name, table):
            forms.setdefault(form, name)
    # Count each name's occurrences, and those behind words of things, in one reading.
    any_name = _match_any(forms)
    seen: Counter[str] = Counter()
    behind: Counter[str] = Counter()
    for text in texts:
        for match in any_name.finditer(text):
            name = forms[match.group()]
            seen[name] += 1
            if table.declensions:
                behind[name] += find_word_before(text, match.start(), table)[0] in table.thing_marks
    known = {
        name
        for name in frequent
        if counted[name]
        >= seen[name]
        * table.choose_least_share(name, seen[name], behind[name] / max(1, seen[name]))
    }
    kept = [form for form, name in forms.items() if name in known]
    inflected = {form for form in kept if table.nouns and form != forms[form]}
    return _KnownNames(_match_any(kept), inflected) if kept else None


def _match_any(names: Iterable[str]) -> re.Pattern[str]:
    """Compile a pattern of the names as whole words, the longest first."""
    longest_first = sorted(names, key=lambda name: (-len(name), name))
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, longest_first))})(?![\w-])")


def _add_missed(text: str, names: list[Name], known: _KnownNames, table: PersonWords) -> list[Name]:
    """Add the occurrences of known names that the recogniser has missed."""
    taken = [(name.start, name.end) for name in names]
    added: list[Name] = []
    for match in known.pattern.finditer(text):
        start, end = match.span()
        if any(s < end and start < e for s, e in taken):
            continue
        if _stands_behind_capital(text, start, table):
            continue  # half of a longer name
        behind = _WORD_BEHIND.match(text, end)
        if (
            behind
            and behind["word"][0].isupper()
            and behind["word"] not in table.nouns
            and match.group() not in known.inflected
        ):
            continue
        of_kin = match.group() in known.inflected  # "Tante Georgs" is not Georg
        before = find_word_before(text, start, table)[0]
        if not of_kin or before in table.landed_titles:
            start = extend_to_honorifics(text, start, table)
        added.append(Name(start, end, text[start:end]))
    return sorted((*names, *added), key=lambda name: name.start) if added else names


def _stands_behind_capital(text: str, start: int, table: PersonWords) -> bool:
    """Tell whether a word with a capital stands before a place.

    Where all nouns have one, an honorific or another noun ("die Schritte Annas") does not count.
    """
    before = _WORD_BEFORE.search(text, max(0, start - 30), start)
    if before is None:
        return False
    word = before.group().strip()
    if word.islower() or word in table.never_names or word in table.nouns:
        return False
    return not table.nouns or word in table.name_groups or bool(languages.genders_of_name(word))
