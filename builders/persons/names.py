"""Find personal names in an analysed passage, and bring the forms of one name together.

Paper mode takes names as the recogniser has them, clean mode tidies them. "Kowalskiego" is
Kowalski, "Annas" is Anna, and "Van den Berg" the "van den Berg" with a first name before it:
names are compared by their canonical form. A language whose table has neither declensions nor
particles keeps every name as the text has it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import NamedTuple

from corefmill.builders.nlp import Analysis
from corefmill.builders.persons.table import CASES, PersonWords, plain

_OPENED = re.compile(r"(?:(?:^|\s)\s*[\"'`“„«‹‘「『(\[]+)+$")
_LONGEST = 5
"""Words of a name; what is longer is not a name, and has too many readings to try."""


class NameReading(NamedTuple):
    """A possible nominative of a name: its cases, whether an ending is weak, and how many words of
    the name no row of the table declines."""

    cases: frozenset[int]
    weak: bool
    undeclined: int


def unify_names(names: Sequence[Sequence[Name]], table: PersonWords) -> list[list[Name]]:
    """Replace the names of a document by their canonical forms."""
    if not table.names_vary:
        return [list(here) for here in names]
    called = choose_canonical_names((name.text for here in names for name in here), table)
    return [[replace(name, text=called[name.text]) for name in here] for here in names]


def choose_canonical_names(names: Iterable[str], table: PersonWords) -> dict[str, str]:
    """Map each name of a document to the nominative that stands for all forms of the name.

    Of several nominatives the one with the most other names of the document as possible forms is
    chosen. If two nominatives have such names, as "Józefa" has beside "Józef" and "Józefę", the
    result is "Józef/Józefa", which `odd_name` stops. "Wokulskiego" is Wokulski by its ending, even
    if other nominatives are possible.
    """
    # 1. Index the readings: for each possible nominative the names that may be its forms, and the
    #    same for single words of names.
    read = {name: read_name(name, table) for name in sorted(set(names))}
    having: dict[str, set[str]] = defaultdict(set)
    for name, found in read.items():
        for reading in found:
            having[reading].add(name)
    words: dict[str, set[str]] = defaultdict(set)
    for name, found in read.items():
        for word, one in _pair_words(name, found, table):
            words[one].add(word)

    def score(name: str, reading: str) -> tuple[int, int, int, int, bool]:
        """Rank a reading by other names, then by its words, then by the table alone."""
        found = read[name][reading]
        pairs = zip(name.split(), reading.split(), strict=True)
        is_longer = " " in name and not found.weak
        by_words = sum(_count_votes(w, words[one], one) for w, one in pairs) if is_longer else 0
        by_names = _count_votes(name, (having if " " in name else told)[reading], reading)
        known = 0 if found.weak else sum(word in table.name_groups for word in reading.split())
        return by_names, by_words, -found.undeclined, known, reading == name

    # 2. Decide names of several words first, longest first: their words must agree in case, so
    #    they have fewer readings. Each decision votes for the readings of its words ("Jana
    #    Kowalskiego" tells that "Jana" is Jan).
    called = {}
    told: dict[str, set[str]] = defaultdict(set)
    for name in sorted(read, key=lambda name: (-len(name.split()), name)):
        if " " not in name:
            continue
        called[name] = max(read[name], key=partial(score, name))
        for _, one in _pair_words(name, [called[name]], table):
            told[one].add(name)
    # 3. Then decide single words, by those votes and by single words with the same nominative.
    single = {name: found for name, found in read.items() if " " not in name}
    for name, found in single.items():
        for reading in found:
            told[reading].add(name)
    for name, found in single.items():
        best = max(found, key=partial(score, name))
        called[name] = best
        if _count_votes(name, told[best], best):
            # A rival has a witness that the best reading has not, and the other way round: "Józefa"
            # between "Józef" and "Józefę". A reading by a weak ending, or of an unknown name, gives
            # way to a usual one only: a given name or, by its ending, a surname.
            own = {name}
            usual = {
                one for one in found if one in table.name_groups or table.gender_of_ending(one)
            }
            rivals = [
                one
                for one in found
                if one != best
                and told[one] - told[best] - own
                and told[best] - told[one] - own
                and (found[best].weak or best not in usual or one in usual)
            ]
            called[name] = "/".join(sorted((best, *rivals)))
    return called


def list_name_forms(name: str, table: PersonWords) -> list[str]:
    """List the forms of a name, one for each case, itself first."""
    forms = (decline_name(name, case, table) for case in range(len(CASES)))
    return list(dict.fromkeys((name, *forms)))


def decline_name(name: str, case: int, table: PersonWords) -> str:
    """Put a name in a case: "Jana Kowalskiego", but "Anna Müllers", where the ending is weak, and
    "pani Reuss", where a woman's honorific leaves a surname as it is."""
    words = name.split()
    titles = len(words) - len(strip_honorifics(name, table).split())
    of_woman = any(word in table.female_titles for word in words[:titles])
    made = []
    for at, word in enumerate(words):
        cells = table.declension.decline(word)
        forms, weak = cells[case] if case < len(cells) else ((word,), False)
        keeps = at < len(words) - 1 and (word.lower() in table.particles or weak)
        if at >= titles and of_woman and table.female_nominatives:
            keeps = keeps or not word.endswith(tuple(sorted(table.female_nominatives)))
        made.append(word if keeps else forms[0])
    return " ".join(made)


def find_cases(form: str, name: str, table: PersonWords) -> frozenset[int]:
    """Find the grammatical cases a form of a name may be in, all where the table has none."""
    found = read_name(form, table).get(name)
    return found.cases if found else frozenset(range(len(CASES)))


def read_name(name: str, table: PersonWords) -> dict[str, NameReading]:
    """List the possible nominatives of a name, with all its words in one case."""
    words = name.split()
    titles = len(words) - len(strip_honorifics(name, table).split())
    found: dict[str, NameReading] = {}
    for case in range(len(CASES)) if len(words) <= _LONGEST else ():
        # Of each word its possible nominatives, whether the ending is weak, and whether no row of
        # the table declines the word.
        choices: list[list[tuple[str, bool, bool]]] = []
        for at, word in enumerate(words):
            if at < titles:
                forms = table.title_forms.get(word, {word: frozenset({case})})
                choices.append(
                    [(one, False, False) for one, cases in forms.items() if case in cases]
                )
            elif at < len(words) - 1 and word.lower() in table.particles:
                choices.append([(word.lower(), False, False)])
            else:
                readings = table.declension.readings(word).items()
                fitting = [(one, of.weak, False) for one, of in readings if case in of.cases]
                choices.append(fitting or [(word, False, True)])
        # An honorific in another case leaves no choice, and so no product.
        for chosen in product(*choices):
            nominatives, weak, undeclined = zip(*chosen, strict=True)
            if sum(undeclined) == len(words) - titles and case and not titles:
                continue
            called = " ".join(nominatives)
            before = found.get(called, NameReading(frozenset(), True, sum(undeclined)))
            found[called] = NameReading(
                before.cases | {case},
                before.weak and any(weak),
                min(before.undeclined, sum(undeclined)),
            )
    return found or {name: NameReading(frozenset({0}), False, 0)}


def _pair_words(name: str, found: Iterable[str], table: PersonWords) -> set[tuple[str, str]]:
    """Pair each word of a name with the nominatives the word may have in the readings `found`."""
    words = name.split()
    titles = len(words) - len(strip_honorifics(name, table).split())
    return {
        (word, one)
        for reading in found
        for word, one in list(zip(words, reading.split(), strict=True))[titles:]
        if word.lower() not in table.particles
    }


def _count_votes(name: str, having: set[str], reading: str) -> int:
    """Count the other names that may be forms of a reading; the nominative counts twice."""
    return len(having - {name}) + (reading in having and reading != name)


_EDGE = " \t\n.,;:!?¡¿\"'’“”„‘«»()[]{}*_–—-"
_LAST_WORD = re.compile(r"[^\s\"'“”‘’«¡¿(\[—–-]+$")
_ELIDED = re.compile(r"\w+['’]$")
_CLAUSE_BEGINS = "\n.,;:!?…—–\"'“‘«(¡¿"
_MOST_PREPOSITIONS = 3  # "de la": what stands between an honorific and a surname


@dataclass(frozen=True, slots=True)
class Name:
    """An occurrence of a personal name: half-open offsets into the analysed text.

    `text` is what the name is called wherever names are compared: the text's own words in paper
    mode; else as the document writes it, "d'Artagnan" also where a sentence begins with
    "D'Artagnan", and in the nominative where names decline (see `choose_canonical_names`).
    `article` counts the characters of an article ("o João", see `extend_to_article`) at `start`.
    """

    start: int
    end: int
    text: str
    article: int = 0

    @property
    def mention(self) -> tuple[int, int]:
        """The span of the name itself, without its article."""
        return self.start + self.article, self.end


def list_recognised(analysis: Analysis) -> list[Name]:
    """List the entities that the recogniser calls persons (paper mode).

    They are unchanged but for the mark of a quotation that opens behind one (`Stimpson J. "`).
    """
    found = []
    for entity in analysis.entities:
        name = _OPENED.sub("", analysis.text[entity.start : entity.end])
        if entity.label == "PERSON" and name:
            found.append(Name(entity.start, entity.start + len(name), name))
    return found


def tidy_names(analysis: Analysis, table: PersonWords) -> list[Name]:
    """List the persons without possessive endings and stray punctuation, but with honorifics.

    "Mr. Darcy" and "Mrs. Darcy" are two persons, and "Mr. Darcy" is what a pronoun replaces, so
    an honorific right before the name joins it, as particles do ("Van den Berg"). An honorific
    alone is not a name.
    """
    names: list[Name] = []
    text = analysis.text
    for name in list_recognised(analysis):
        start, end = _trim_name(text, name.start, name.end, table)
        if table.thing_endings and text[start:end].endswith(tuple(table.thing_endings)):
            continue  # "Schillerstraße"
        if table.particles:
            start = _extend_to_particles(text, start, names, table)
        start = extend_to_honorifics(text, start, table)
        words = text[start:end].split()
        if not words or all(word in table.no_names_or_titles for word in words):
            continue
        if table.particles and names and start == names[-1].start:
            names.pop()  # the first name before a particle
        if names and start < names[-1].end:
            continue
        names.append(Name(start, end, text[start:end]))
    return names


def _trim_name(text: str, start: int, end: int, table: PersonWords) -> tuple[int, int]:
    """Shorten a name's offsets: cut possessive endings, punctuation, articles, elided words
    ("qu'") and nouns behind the name."""
    for ending in sorted(table.possessive):
        if len(ending) > 1 and text[start:end].endswith(ending):
            end -= len(ending)
    while end > start and text[end - 1] in _EDGE:
        last = text[start:end].rsplit(" ", 1)[-1]
        if last.endswith(".") and len(last) <= 3:
            break  # an initial, or an abbreviation: "Jr."
        end -= 1
    while start < end and text[start] in _EDGE:
        start += 1
    while (space := text.rfind(" ", start, end)) > 0 and text[space + 1 : end] in table.nouns:
        end = space  # "Annas Hand"
    while (space := text.find(" ", start, end)) > 0 and text[start:space] in table.articles:
        start = space + 1
    prefix = table.elided_prefix(text[start:end])
    if plain(prefix) not in table.prepositions:
        start += len(prefix)
    return start, end


def extend_to_honorifics(text: str, start: int, table: PersonWords) -> int:
    """Extend a name to the honorifics before it; returns the new start.

    An article may stand between two ("M. le comte"), and prepositions between one and a surname
    ("comte de la Fère") where the honorific does not say whose it is ("père de Julien").
    """
    while True:
        word, at = find_word_before(text, start, table)
        titles = table.titles
        if word not in titles:
            following = text[start:].partition(" ")[0]
            if plain(word) in table.subject_articles and following in titles:
                word, at = find_word_before(text, at, table)
            else:
                titles = table.landed_titles
                for _ in range(_MOST_PREPOSITIONS):
                    if plain(word) not in table.prepositions and plain(word) not in table.elided:
                        break
                    word, at = find_word_before(text, at, table)
        if word not in titles:
            return start
        start = at


def _extend_to_particles(text: str, start: int, names: list[Name], table: PersonWords) -> int:
    """Extend a name to the particles before it; returns the new start.

    A particle in small letters needs a first name or an honorific before it ("Jan van den Berg",
    "Herr von Berg"); else it is a preposition. A single particle with a capital that begins a
    sentence is not part of the name: "Van Anna".
    """
    found: list[int] = []
    word, at = find_word_before(text, start, table)
    while word.lower() in table.particles:
        found.append(at)
        word, at = find_word_before(text, at, table)
    for at in reversed(found):
        if text[at].islower():
            if names and names[-1].end == at - 1:
                return names[-1].start
            if find_word_before(text, at, table)[0] in table.landed_titles:
                return at
        else:
            before = text[max(0, at - 4) : at].rstrip(" \n\"'“”„‘’«»(—–-")
            begins_sentence = not before or before[-1] in ".!?…:;"
            if len(found) > 1 or not begins_sentence:
                return at
    return start


def extend_to_article(name: Name, text: str, table: PersonWords) -> Name:
    """Extend a name to the article before it ("o João"): a pronoun would replace both words."""
    start = name.start
    if table.subject_articles:
        word, at = find_word_before(text, start, table)
        if plain(word) in table.subject_articles:
            left = text[:at].rstrip(" ")
            behind = find_word_before(text, at, table)[0]
            if not left or left[-1] in _CLAUSE_BEGINS or behind in table.joining | table.relatives:
                start = at
    if table.articles:
        word, at = find_word_before(text, name.start, table)
        # Behind a comma it may be a relative word: ", die Anna liebt".
        if word in table.articles and not text[:at].rstrip().endswith(","):
            start = at
    return replace(name, start=start, article=name.start - start)


def find_word_before(text: str, start: int, table: PersonWords) -> tuple[str, int]:
    """Find the word right before an offset, and where the word begins."""
    left = text[max(0, start - 20) : start]
    is_apart = left.endswith(" ")
    match = _LAST_WORD.search(left[:-1]) if is_apart else _ELIDED.search(left)
    if match is None or not (is_apart or plain(match.group()) in table.elided):
        return "", start
    return match.group(), start - len(left) + match.start()


def strip_honorifics(name: str, table: PersonWords) -> str:
    """Strip the honorifics before a name: "Darcy" of "Mr. Darcy"."""
    words = name.split()
    behind_title = False
    while len(words) > 1 and (
        words[0] in table.titles or (behind_title and plain(words[0]) in table.subject_articles)
    ):
        behind_title = words.pop(0) in table.titles
    return " ".join(words)


def strip_particles(name: str, table: PersonWords) -> str:
    """Strip honorifics and particles: "Tucher" of "Herr von Tucher".

    A recogniser may leave both out of the name.
    """
    words = strip_honorifics(name, table).split()
    while len(words) > 1 and plain(words[0]) in table.within_names:
        words.pop(0)
    short = " ".join(words)
    prefix = table.elided_prefix(short)
    return short[len(prefix) :] if plain(prefix) in table.prepositions else short


def split_name_words(name: str, table: PersonWords) -> list[str]:
    """Split a name into words, without honorifics and particles ("van den")."""
    words = strip_honorifics(name, table).split()
    return [word for word in words if plain(word) not in table.within_names] or words
