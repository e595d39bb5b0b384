"""Decide the gender of an article's persons, and join the names of one person."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from corefmill.builders.persons.gender import Genders, gender_by_pronouns
from corefmill.builders.persons.names import split_name_words, strip_honorifics
from corefmill.builders.persons.prose import OPENING_MARKS
from corefmill.builders.persons.table import Gender, PersonWords
from corefmill.builders.persons.usage import Usage
from corefmill.corpora import languages
from corefmill.corpora.records import Span

_REACH = 60  # characters on either side, for a name's other words
_BEFORE_NAMES = OPENING_MARKS + "{*_—–-"
_NAME_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_INITIAL = re.compile(r"[^\W\d_]\.")


@dataclass(frozen=True, slots=True)
class NameOccurrence:
    """One place of some words in a text, with the honorific and the other words of the name."""

    place: Span
    title: str
    before: tuple[str, ...]
    after: tuple[str, ...]


def find_occurrences(name: str, usage: Usage, table: PersonWords) -> list[NameOccurrence]:
    """Find every place of the words `name` in the document."""
    found = []
    for start, end in usage.find_places(name):
        titles, before = _read_before(usage, start, table)
        if titles and usage.is_genitive(usage.text[start:end]):
            titles = [title for title in titles if title in table.landed_titles]
        title = titles[-1] if titles else ""
        if table.names_vary:
            title = next(iter(table.title_forms.get(title, (title,))))
            before = [usage.choose_nominative(word) for word in before]
        after: list[str] = []
        right = usage.text[end : end + _REACH]
        # For nearly all places the loop would find nothing.
        if right.startswith(" ") and (right[1:2].isupper() or right[2:3] == "."):
            for word in right[1:].split(" "):
                core = _NAME_WORD.match(word)
                if not (core and word[0].isupper()) and not _INITIAL.fullmatch(word):
                    break
                after.append(core.group().removesuffix("'s").removesuffix("’s") if core else word)
                if after[-1] != word:
                    break
        found.append(NameOccurrence((start, end), title, tuple(before), tuple(after)))
    return found


def _read_before(usage: Usage, offset: int, table: PersonWords) -> tuple[list[str], list[str]]:
    """Collect the honorifics and the names right before an offset, from left to right."""
    titles: list[str] = []
    names: list[str] = []
    left = usage.text[max(0, offset - _REACH) : offset].rpartition("\n")[2]
    if not left.endswith(" "):
        return titles, names
    # A word in small letters that cannot belong to a name ends the search: so at nearly all places.
    last = left[left.rfind(" ", 0, -1) + 1 : -1]
    if last[:1].islower() and last not in table.titles and last not in table.within_names:
        return titles, names
    # Leftwards: names, then honorifics. A preposition goes with what is before it ("Honoré de
    # Balzac", "M. de Balzac") where that is a name or an honorific of lands: "père de Julien" says
    # whose father he is.
    of = False
    for word in reversed(left[:-1].split(" ")):
        bare = word.lstrip(_BEFORE_NAMES)
        if bare in (table.landed_titles if of else table.titles):
            titles.insert(0, bare)
        elif bare in table.within_names and bare == word:
            of = True
            continue
        elif titles or bare in table.titles:
            break
        elif _INITIAL.fullmatch(bare):
            if not bare[0].isupper():
                break
            names.insert(0, bare)
        else:
            is_name = _NAME_WORD.fullmatch(bare) and bare[0].isupper()
            if not is_name or bare in table.no_names:
                break
            # Where all nouns have capitals, only a listed given name is one.
            if table.nouns and not (bare in table.name_groups or languages.genders_of_name(bare)):
                break
            names.insert(0, bare)
        of = False
        if bare != word:  # behind a quotation mark or a bracket
            break
    if names and not titles and usage.is_oftener_small(names[0]):
        names.pop(0)  # a verb: "Will" or "May" at the head of a question
    return titles, names


_CLEAR = 0.9
"""The share that one gender must have of a name's honorifics to be the name's."""

_SELDOM = 0.05
"""The share of a given name's occurrences that may stand behind another name by chance, as in "weil
Anna Peter sah"."""

_TOUCHING = 0.01
"""The share of the rarer one's occurrences in which two names of different persons may touch."""

_GENDERS = ("male", "female")

_MEETINGS, _MEETING_SHARE = 5, 0.1
"""Sentences, and the share of a name's, in which two names are two persons'."""
_NEAR = 200  # characters on either side in which a sentence is looked for
_SENTENCE_END = re.compile(r"[.!?]['\"”’]*\s|\n")

_STEM = 3
"""Letters that an unlisted pet form has in common with the name."""


@dataclass(frozen=True, slots=True)
class KnownGender:
    """A name's gender in a document (`form` is None if unknown), and the reason for it.

    `reason` is "honorific" (before the name, here or elsewhere), "given name" (its own, or that of
    the full name elsewhere), "ending" (a surname's: Kowalski, Kowalska), "pronouns" (those that
    follow the name), "list" (nothing but the list of given names), "mostly" (the list, which calls
    the name mostly of this gender), "either" (what is said of the name speaks for both) or
    "unknown".
    """

    form: Gender | None
    reason: str

    def as_meta(self) -> dict[str, str]:
        """The record's fields: `gender`, left out where it is not known, and `gender_by`."""
        known = {} if self.form is None else {"gender": self.form}
        return {**known, "gender_by": self.reason}


class Persons:
    """The persons of an article, by the names of its text; each answer is kept."""

    def __init__(self, usage: Usage, genders: Genders) -> None:
        self._usage = usage
        self._genders = genders
        self._table = genders.words
        self._known: dict[str, KnownGender] = {}
        self._same: dict[tuple[str, str], bool] = {}
        self._uses: dict[str, list[NameOccurrence]] = {}
        self._called: dict[str, list[int]] = {}
        self._firsts: dict[str, set[str]] = {}

    def find_gender(self, name: str) -> KnownGender:
        """Find the gender of the person of this name, honorific and all."""
        if name not in self._known:
            self._known[name] = self._decide_gender(name)
        return self._known[name]

    def are_opposed(self, one: str, other: str) -> bool:
        """Tell whether both genders are known, and differ."""
        return {self.find_gender(one).form, self.find_gender(other).form} == {"male", "female"}

    def are_same(self, one: str, other: str) -> bool:
        """Tell whether two names may well be of one person.

        Parts of one full name are, a name and its pet form, and a second name that the document
        gives to a person.
        """
        key = (one, other) if one < other else (other, one)
        if key not in self._same:
            self._same[key] = not self.are_opposed(*key) and self._is_same(*key)
        return self._same[key]

    def _is_same(self, one: str, other: str) -> bool:
        """Tell whether two names, not of opposed genders, may well be of one person."""
        first, second = strip_honorifics(one, self._table), strip_honorifics(other, self._table)
        words, others = split_name_words(one, self._table), split_name_words(other, self._table)
        # 1. By the names alone: a common word, or a pet form where one name is a single word.
        if set(words) & set(others):
            return self._is_part(one, other)
        if 1 in (len(words), len(others)) and self._is_pet_form(words[0], others[0]):
            return True
        # 2. By the document: it has one before the other ("Emma" and "Miss Woodhouse", by "Emma
        #    Woodhouse"), or says that a person is called so.
        if len(words) == len(others) == 1 and (
            self._has_given(first, second, other) or self._has_given(second, first, one)
        ):
            return True
        return self._is_called_also(first, second) or self._is_called_also(second, first)

    def _is_part(self, one: str, other: str) -> bool:
        """Tell whether one of two names with a common word may be part of the other."""
        words, others = (split_name_words(name, self._table) for name in (one, other))
        if words == others:
            # "Weston" and "Mr. Weston", "Captain Weston" and "Mr. Weston"; not Mrs. and Miss.
            return not all(self._table.gender_of_title(name.split()[0]) for name in (one, other))
        if set(words) <= set(others) or set(others) <= set(words):
            return True
        return words[-1] == others[-1] and self._is_pet_form(words[0], others[0])

    def _is_pet_form(self, one: str, other: str) -> bool:
        """Tell whether given names are of one group, or one is an unlisted pet form."""
        groups = self._table.name_groups
        if groups.get(one, frozenset()) & groups.get(other, frozenset()):
            return True
        pairs = enumerate(zip(one, other, strict=False))
        stem = next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
        if stem < _STEM:
            return False
        return any(
            name[stem:] in self._table.diminutives and self._genders.find_gender(name) == "unknown"
            for name in (one, other)
        )

    def _has_given(self, given: str, surname: str, named: str) -> bool:
        """Tell whether a word is the given name most often before a surname in the document.

        Only given names count that the person `named` with the surname may have: of sisters the
        eldest is Miss Dashwood, and Mrs. Dashwood is not one of the sisters.
        """
        if surname not in self._firsts:
            uses = self._list_uses(surname)
            self._firsts[surname] = {use.before[0] for use in uses if use.before}
        if given not in self._firsts[surname]:  # so with most pairs of names
            return False
        if named.split()[0] in self._table.married_titles or self._is_given(surname):
            return False
        if self._meet_often(given, named):
            return False
        firsts = Counter(
            use.before[0]
            for use in self._list_uses(surname)
            if use.before and not self.are_opposed(use.before[0], named)
        )
        # Names that are frequent apart may touch: "Tak Paweł Zygmunta nazwał".
        apart = min(len(self._list_uses(given)), len(self._list_uses(surname)))
        return firsts[given] > _TOUCHING * apart and firsts[given] == max(firsts.values())

    def _meet_often(self, given: str, named: str) -> bool:
        """Tell whether two names share too many sentences to be one person's: Elisabeth
        Farringdon stands in 27 of the 93 with her aunt, Miss Farringdon. Two names of one person
        do in four at most, or in one of sixty. As one name ("Elisabeth Farringdon") they are not
        counted."""
        text, places = self._usage.text, self._usage.find_places(named)
        forms = self._table.forms_of(given)
        word = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, forms))})(?!\w)")
        together = 0
        for start, end in places:
            near = text[max(0, start - _NEAR) : end + _NEAR]
            if not any(form in near for form in forms):
                continue
            left = _SENTENCE_END.split(text[max(0, start - _NEAR) : start])[-1].rstrip()
            if left.endswith(given):
                continue
            right = _SENTENCE_END.split(text[end : end + _NEAR], maxsplit=1)[0]
            together += bool(word.search(left) or word.search(right))
        return together >= max(_MEETINGS, _MEETING_SHARE * len(places))

    def _is_called_also(self, one: str, other: str) -> bool:
        """Tell whether the document gives the person a second name: "Ann, known as Nan"."""
        text = self._usage.text
        if one not in self._called:
            places = self._usage.find_places(one) if self._table.also_called else ()
            found = (self._calling_pattern.match(text, end) for _, end in places)
            self._called[one] = [match.end() for match in found if match]
        return any(
            text.startswith(form, start)
            and not text[start + len(form) : start + len(form) + 1].isalnum()
            for start in self._called[one]
            for form in self._table.forms_of(other)
        )

    @cached_property
    def _calling_pattern(self) -> re.Pattern[str]:
        """Match words that give a second name: ", known as ". "Ann called Bea" names nobody: a verb
        alone counts behind a comma or in brackets only, and with no relative word before."""
        words = sorted(self._table.also_called)
        told, verbs = (
            "|".join(re.escape(word) for word in words if (" " in word) == is_phrase) or "(?!)"
            for is_phrase in (True, False)
        )
        relative = "|".join(map(re.escape, sorted(self._table.relatives)))
        behind = rf"(?:, | \()(?:(?!(?:{relative})\b)\w+ )?(?:{verbs})"
        return re.compile(rf"(?:,? \(?(?:\w+ ){{0,2}}(?:{told})|{behind}) \W?")

    def _decide_gender(self, name: str) -> KnownGender:
        """Decide a name's gender by honorifics, given names, endings and pronouns, in turn."""
        words = name.split()
        own = strip_honorifics(name, self._table)
        full = len(split_name_words(own, self._table)) > 1
        titles = words[: len(words) - len(own.split())] if own != name else []
        for title in titles:
            if form := self._table.gender_of_title(title):
                return KnownGender(form, "honorific")
        if full:
            # By the honorific before the name elsewhere, else by the name's first word.
            if form := self._decide_by_titles(self._list_uses(own), own.split()[0]):
                return KnownGender(form, "honorific")
            return self._decide_by_list(own, own.split()[0])
        if not titles:
            return self._decide_gender_of_word(own)
        # A surname behind an honorific of either gender: by the full name behind the same one, else
        # by the pronouns that follow it there.
        if form := self._table.gender_of_ending(own):
            return KnownGender(form, "ending")
        uses = [use for use in self._list_uses(own) if use.title == titles[-1]]
        if form := self._decide_by_first_names(uses):
            return KnownGender(form, "given name")
        if form := self._decide_by_pronouns(uses):
            return KnownGender(form, "pronouns")
        return KnownGender(None, "unknown")

    def _decide_gender_of_word(self, word: str) -> KnownGender:
        """Find the gender of a surname or a given name by its uses in the document."""
        # 1. Where surnames have genders, the ending tells: Kowalski, Kowalska.
        if form := self._table.gender_of_ending(word):
            return KnownGender(form, "ending")
        uses = self._list_uses(word)
        titled = self._decide_by_titles(uses, word)
        gendered = any(self._table.gender_of_title(use.title) for use in uses)
        firsts = sum(bool(use.before) for use in uses)
        # 2. A word oftener before a surname than behind a given name is a given name.
        if not titled and sum(bool(use.after) and not use.before for use in uses) > firsts:
            return self._decide_by_list(word, word)
        # 3. Else pronouns outvote honorifics and the given names of full names: the bare name may
        #    be somebody else, as Peggotty is, whose brother is Mr. Peggotty. In six of seven names
        #    where pronouns and given names differed the pronouns were right.
        untitled = [use for use in uses if not use.title]
        said = self._decide_by_pronouns(untitled, self._look_up_usual(word))
        if titled and said in (None, titled):
            return KnownGender(titled, "honorific")
        if self._is_given(word):
            firsts = 0
        first = None if gendered or not firsts else self._decide_by_first_names(uses)
        if first and said in (None, first):
            return KnownGender(first, "given name")
        if said:
            return KnownGender(said, "pronouns")
        # 4. A family's name is of either gender; look up a name without any other sign in the list.
        if gendered or firsts:
            return KnownGender(None, "either")
        return self._decide_by_list(word, word, alone=True)

    def _is_given(self, word: str) -> bool:
        """Tell whether a word is a given name, and behind another name by chance alone."""
        uses = self._list_uses(word)
        behind = sum(bool(use.before) for use in uses)
        return behind < _SELDOM * len(uses) and self._look_up_listed(word) is not None

    def _decide_by_first_names(self, uses: Sequence[NameOccurrence]) -> Gender | None:
        """Decide a surname's gender by the given names before the surname, if these agree."""
        firsts = dict.fromkeys(use.before[0] for use in uses if use.before)
        forms = [form for first in firsts if (form := self._look_up_listed(first))]
        return forms[0] if forms and len(set(forms)) == 1 else None

    def _decide_by_list(self, name: str, first: str, *, alone: bool = False) -> KnownGender:
        """Decide a name's gender by the list of given names, in case of doubt by pronouns.

        A word that stands `alone` all over the document may be a surname, so pronouns come first.
        """
        listed = self._genders.find_gender(first)
        strong = self._look_up_listed(first)
        if strong and not alone:
            return KnownGender(strong, "given name")
        if form := self._decide_by_pronouns(self._list_uses(name), self._look_up_usual(first)):
            return KnownGender(form, "pronouns")
        if strong:
            return KnownGender(strong, "list")
        if name != first and (form := self._decide_by_pronouns(self._list_uses(first))):
            return KnownGender(form, "pronouns")  # of "Harry Lane", whom the text calls Harry
        # A pet form of names of men and of women: "Georgie".
        if listed == "andy" or (
            (len(self._collect_group(first)) == 2) and not self._genders.is_sure(first)
        ):
            return KnownGender(None, "either")
        if listed == "unknown":
            return KnownGender(None, "unknown")
        return KnownGender("female" if listed.endswith("female") else "male", "mostly")

    def _look_up_listed(self, given: str) -> Gender | None:
        """Look up the gender of a name of one gender only; a pet form has that of its names."""
        if given in self._table.name_groups:
            forms = self._collect_group(given)
            return forms.pop() if len(forms) == 1 else None
        listed = self._genders.find_gender(given)
        if listed == "male":
            return "male"
        return "female" if listed == "female" else None

    def _look_up_usual(self, given: str) -> Gender | None:
        """Look up the gender of a given name in a group, or of a frequent one.

        Pronouns nearby are weighed against it.
        """
        if given in self._table.name_groups or self._genders.is_usual(given):
            return self._look_up_listed(given)
        return None

    def _collect_group(self, given: str) -> set[Gender]:
        """Collect the genders of a pet form's full names, the first of each group."""
        groups = sorted(self._table.name_groups.get(given, ()))
        listed = (self._genders.find_gender(group.partition(" ")[0]) for group in groups)
        told = (form.removeprefix("mostly_") for form in listed)
        return {"male" if form == "male" else "female" for form in told if form in _GENDERS}

    def _decide_by_titles(self, uses: Sequence[NameOccurrence], given: str) -> Gender | None:
        """Decide a name's gender by the honorifics before the name, if nine in ten agree.

        A single one does not outweigh the list of given names.
        """
        titles = [use.title for use in uses if use.title and not use.before and not use.after]
        counted = Counter(map(self._table.gender_of_title, titles))
        most: Gender = "male" if counted["male"] >= counted["female"] else "female"
        if counted[most] == 1 and self._look_up_listed(given) not in (None, most):
            return None
        return most if counted[most] and counted[most] >= _CLEAR * len(titles) else None

    def _decide_by_pronouns(
        self, uses: Sequence[NameOccurrence], named: Gender | None = None
    ) -> Gender | None:
        """Decide a name's gender by the pronouns behind its uses, or against the one listed."""
        places = [use.place for use in uses]
        return gender_by_pronouns(places, self._usage.text, self._table, named)

    def _list_uses(self, name: str) -> list[NameOccurrence]:
        if name not in self._uses:
            self._uses[name] = find_occurrences(name, self._usage, self._table)
        return self._uses[name]
