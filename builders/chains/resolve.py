"""Link the names and gendered pronouns of an article, and mark every doubt.

A pronoun is linked to the only person of its gender mentioned before it, in its sentence or in the
sentence before: by a name, a pronoun, or a noun for persons. A person of unknown gender there makes
the pronoun doubtful, and a doubtful mention makes later pronouns doubtful.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from enum import StrEnum

from corefmill.builders.nlp import Analysis
from corefmill.builders.persons.drafts import Draft, DraftContext
from corefmill.builders.persons.name_filters import no_person, odd_name
from corefmill.builders.persons.names import Name, split_name_words
from corefmill.builders.persons.persons import Persons
from corefmill.builders.persons.prose import find_dash_speech, in_quotation
from corefmill.builders.persons.reference_words import ReferenceWords, means_one_person
from corefmill.builders.persons.table import Gender, PersonWords
from corefmill.builders.persons.usage import Usage
from corefmill.builders.wiki.markup.records import Paragraph
from corefmill.corpora.records import Span

_DOUBTFUL = ("mostly", "either", "unknown")
"""Evidence of a gender that is too weak to link a pronoun."""


@dataclass(slots=True)
class NamedPerson:
    """A person of an article, by all names surely hers or his."""

    names: list[str]
    gender: Gender | None = None


@dataclass(slots=True)
class PersonList:
    """The persons of an article, found once from all its names, the fullest first.

    A name joins a person if all names of the person may well be of the same person as the name. If
    the name fits two persons, or only some names of a person, its person is unknown.
    """

    usage: Usage
    persons: Persons
    words: PersonWords
    found: list[NamedPerson] = field(default_factory=list)
    name_words: set[str] = field(default_factory=set)
    """The words of all names that rarely mean anything else: no honorifics, no "di", no "Will"."""
    owners: dict[str, int | None] = field(default_factory=dict)
    """The index in `found` of each name's person, None if the person is unknown."""

    def join_names(self, names: Sequence[str]) -> None:
        """Join the names of an article to persons; `names` has each name as often as it occurs."""
        counted = Counter(names)
        order = sorted(
            counted,
            key=lambda name: (-len(split_name_words(name, self.words)), -counted[name], name),
        )
        for name in order:
            self.owners[name] = self._join_name(name)
        own = {word for name in counted for word in split_name_words(name, self.words)}
        self.name_words = {
            word
            for word in own
            if word[0].isupper()
            and word not in self.words.no_names_or_titles
            and self.usage.count(word.lower()) <= self.usage.count(word)
        }
        for person in self.found:
            # All names of a person that tell a gender must agree.
            told = [self.persons.find_gender(name) for name in person.names]
            forms = {one.form for one in told if one.form and one.reason not in _DOUBTFUL}
            person.gender = min(forms) if len(forms) == 1 else None

    def is_thing(self, name: Name, paragraph: NamedParagraph) -> bool:
        """Tell whether a name may be a thing's: "the Newton", "Ann Street"."""
        draft, usage = Draft((name.mention,), name, (), (name,)), self.usage
        at = (usage.article, paragraph.paragraph, draft, paragraph.read, 0)
        view = DraftContext(*at, usage, self.persons, self.words)
        return odd_name(view) or no_person(view)

    def _join_name(self, name: str) -> int | None:
        """Add a name to its person, or to a new one; None if several persons may have the name."""
        fitting: list[int] = []
        partly: list[int] = []
        # A name belongs to a person if it fits all names of this person and none of any other.
        for number, person in enumerate(self.found):
            same = [self._may_be_one(name, other) for other in person.names]
            if all(same):
                fitting.append(number)
            elif any(same):
                partly.append(number)
        if len(fitting) == 1 and not partly:
            self.found[fitting[0]].names.append(name)
            return fitting[0]
        if fitting or (partly and len(split_name_words(name, self.words)) == 1):
            return None
        self.found.append(NamedPerson([name]))
        return len(self.found) - 1

    def _may_be_one(self, name: str, other: str) -> bool:
        """Compare two names by their links, else by `Persons.same`."""
        ends = [self.usage.anchors.get(one) for one in (name, other)]
        if None not in ends:
            return ends[0] == ends[1]
        own, others = split_name_words(name, self.words), split_name_words(other, self.words)
        if min(len(own), len(others)) > 1 and not set(own) & set(others):
            return False
        return self.persons.are_same(name, other) and not self._of_one_family(name, other)

    def _of_one_family(self, name: str, other: str) -> bool:
        """Tell whether two names may be those of relatives.

        "Mrs. Archer" and "Newland Archer" may (a married woman, and somebody of unknown gender with
        a given name), and "Miss Bennet" and "Miss Jane Bennet".
        """
        for one, full in ((name, other), (other, name)):
            title = one.split()[0]
            told = self.words.gender_of_title(title)
            if (
                told
                and len(split_name_words(one, self.words)) == 1
                and len(split_name_words(full, self.words)) > 1
            ):
                is_married = title in self.words.married_titles
                if full.split()[0] == title:
                    return told == "female" and not is_married
                if is_married or self.persons.find_gender(full).form != told:
                    return True
        return False


FAULTS = (
    "names_thing",
    "ambiguous_name",
    "gender_unknown",
    "noun_between",
    "pronoun_in_doubt",
    "nobody_before",
    "two_persons",
    "unsaid_subject",
    "thing_of_gender",
    "across_quotation",
    "name_behind",
    "own_subject",
    "perhaps_plural",
    "unseen_name",
)
"""Doubts about a name or pronoun, in the order in which they are checked."""

_BEFORE = 1
"""Sentences before a pronoun's own in which every person must be clear. With three, half as many
pronouns of twenty novels' openings were linked, and as often right."""
_FAR = 3
"""The same for a pronoun linked in spite of a doubt."""
_PART_OF_NAME = ("appos", "compound", "flat", "nmod:desc")
_ARGUMENTS = ("nsubj", "obj", "iobj")
_OWNING = ("det", "det:poss", "nmod:poss")


class ReferentKind(StrEnum):
    """The kind of a referent.

    A thing is a noun that a pronoun may mean by grammatical gender alone, `plural` a pronoun that
    may mean several persons, `unseen` a word of a name that the recogniser missed.
    """

    name = "name"
    pronoun = "pronoun"
    noun = "noun"
    thing = "thing"
    plural = "plural"
    unseen = "unseen"


_NOUNS = (ReferentKind.noun, ReferentKind.thing)
_FAULTY = {ReferentKind.plural: "perhaps_plural", ReferentKind.unseen: "unseen_name"}


@dataclass(frozen=True, slots=True)
class NamedParagraph:
    """A paragraph with its analysis and the persons' names in it."""

    paragraph: Paragraph
    read: Analysis
    names: Sequence[Name]


@dataclass(slots=True)
class Referent:
    """A name, a pronoun, or a noun for a person.

    A noun ("the doctor") is not a mention in the corpus, but a pronoun may mean it. Offsets are the
    paragraph's; `words` are indexes of words in its analysis. `person` is an index in `PersonList`,
    None if in doubt, and `fault` is the doubt. `is_subject` says that it is a subject, or opens its
    sentence. `evidence`, a key of evidence.toml, is the evidence for the link to the person's
    previous mention.
    """

    kind: ReferentKind
    start: int
    end: int
    words: Sequence[int]
    gender: Gender | None
    called: str = ""
    sentence: int = 0
    quoted: bool = False
    head: int = 0
    is_subject: bool = False
    person: int | None = None
    evidence: str = ""
    fault: str = ""


@dataclass(frozen=True, slots=True)
class ReadSentence:
    """A sentence of a paragraph with its names and gendered pronouns, in order."""

    paragraph: NamedParagraph
    span: Span
    referents: Sequence[Referent]


@dataclass(slots=True)
class Resolver:
    """Read the paragraphs of an article in order, and remember the persons mentioned last.

    With `names_alone` nouns are ignored, as if no pronoun could mean one. `accepted` are doubts in
    spite of which a mention is linked: to the last person that fits, best to a subject.
    """

    people: PersonList
    words: PersonWords
    reference: ReferenceWords
    names_alone: bool = False
    accepted: Set[str] = frozenset()
    _number: int = 0
    _recent: list[Referent] = field(default_factory=list)
    _named: dict[int, str] = field(default_factory=dict)
    _below: dict[int, list[int]] = field(default_factory=dict)
    """The words below each word of the paragraph, which one search finds for all its sentences."""

    def resolve_article(self, paragraphs: Iterable[NamedParagraph]) -> list[ReadSentence]:
        """Resolve the sentences of an article's paragraphs."""
        resolved: list[ReadSentence] = []
        for paragraph in paragraphs:
            read, text = paragraph.read, paragraph.read.text
            speech = find_dash_speech(text, self.words.speech_dashes, self.words.saying)
            self._below = {}
            for i, head in enumerate(read.head):
                if head != i:
                    self._below.setdefault(head, []).append(i)
            for span in read.sentences:
                self._number += 1
                self._recent = [
                    r
                    for r in self._recent
                    if r.sentence >= self._number - (_FAR if self.accepted else _BEFORE)
                ]
                found = self._list_referents(paragraph, span)
                for one in found:
                    one.sentence = self._number
                    # The head of a name is the word whose own head is outside of the name.
                    outside = (i for i in one.words if read.head and read.head[i] not in one.words)
                    one.head = next(outside, one.words[0])
                    relation = read.deprel[one.head] if read.head else "nsubj"
                    one.is_subject = relation.startswith("nsubj") or one.start == span[0]
                    said = any(start <= one.start < end for start, end in speech)
                    one.quoted = said or in_quotation(text, one.start)
                for place, one in enumerate(found):
                    if one.kind is ReferentKind.name:
                        one.fault = self._link_name(one, paragraph)
                    elif one.kind is ReferentKind.pronoun:
                        one.fault = self._link_pronoun(one, found[place + 1 :], read)
                    else:
                        one.fault = _FAULTY.get(one.kind, "")
                    if one.person is not None and self._is_of_own_clause(one, read):
                        one.person, one.fault = None, "own_subject"
                    if one.fault in self.accepted:
                        self._link_doubtful(one, read)
                    self._recent.append(one)
                kept = [one for one in found if one.kind not in _NOUNS]
                resolved.append(ReadSentence(paragraph, span, kept))
        return resolved

    def _list_referents(self, paragraph: NamedParagraph, sentence: Span) -> list[Referent]:
        """List the names, pronouns and nouns for persons of a sentence, in order."""
        read = paragraph.read
        first, behind = (bisect_left(read.words, (place, 0)) for place in sentence)
        inside = [i for i in range(first, behind) if read.words[i][1] <= sentence[1]]
        found: list[Referent] = []
        of_name: dict[int, Name] = {}
        for name in paragraph.names:
            start, end = name.mention
            if sentence[0] <= start and end <= sentence[1]:
                own = [i for i in inside if read.words[i][0] < end and start < read.words[i][1]]
                of_name |= dict.fromkeys(own, name)
                found.append(Referent(ReferentKind.name, start, end, own, None, name.text))
        for i in inside:
            start, end = read.words[i]
            opens = start == sentence[0]
            told = None if i in of_name else self._read_referent(read, i, of_name, opens)
            if told is not None:
                found.append(Referent(told[0], start, end, [i], told[1]))
        return sorted(found, key=lambda one: (one.start, one.end))

    def _read_referent(
        self, read: Analysis, i: int, of_name: Mapping[int, Name], opens: bool
    ) -> tuple[ReferentKind, Gender | None] | None:
        """Find the referent of a word outside of names, None for no person."""
        written, words = read.form(i), self.reference
        form = written.lower()
        gender = words.gender_of(form) or words.gender_of_reflexive(form)
        # A word in a pronoun's form counts if its tag is a pronoun's; a possible plural is a doubt.
        if gender is not None:
            means = means_one_person(read, i, words, opens=opens)
            return (
                (ReferentKind.pronoun, gender)
                if means
                else self._read_plural_pronoun(read, i, opens)
            )
        if written in self.people.name_words:
            return ReferentKind.unseen, None
        if self.names_alone:
            return None
        if written[0].isupper() and written in self.words.titles:
            return ReferentKind.noun, self.words.gender_of_title(written)  # "the Earl"
        tag = read.upos[i] if read.upos else "NOUN"  # untagged the lists alone tell
        start, end = read.words[i]
        # A place of the recogniser is not a person; a name unknown to it may be a person.
        labelled = any(one.start < end and start < one.end for one in read.entities)
        if tag == "PROPN" and not labelled:
            is_name = written[0].isupper() and written not in self.words.no_names_or_titles
            return (ReferentKind.noun, None) if is_name else None
        return self._read_noun(read, i, of_name) if tag == "NOUN" else None

    def _read_noun(
        self, read: Analysis, i: int, of_name: Mapping[int, Name]
    ) -> tuple[ReferentKind, Gender | None] | None:
        """Find the referent of a noun: a person, or a thing of one grammatical gender."""
        words, form = self.reference, read.form(i).lower()
        feats = read.feats[i].split("|") if read.feats else []
        if "Number=Plur" in feats or _is_said_of_name(read, i, of_name, self._below):
            return None
        told = words.gender_of_noun(read.lemma[i].lower() if read.lemma else form)
        if told != "":
            return ReferentKind.noun, "male" if told == "male" else "female" if told else None
        if read.deprel and read.deprel[i].split(":")[0] in _ARGUMENTS:
            kinds: tuple[Gender, Gender] = ("male", "female")
            for thing in kinds:
                if any(f"Gender={one}" in feats for one in words.things_of(thing)):
                    return ReferentKind.thing, thing
        return None

    def _read_plural_pronoun(
        self, read: Analysis, i: int, opens: bool
    ) -> tuple[ReferentKind, Gender | None] | None:
        """Find the referent of a possible plural pronoun: "sie", "ihr"."""
        form, feats = read.form(i), read.feats[i].split("|") if read.feats else []
        if form.lower() not in self.reference.also_plural:
            return None
        if "Number=Plur" in feats and "Poss=Yes" not in feats:
            return None
        is_pronoun = bool(read.upos) and read.upos[i] in ("PRON", "DET")
        is_polite = form[0].isupper() and not opens
        return (ReferentKind.plural, None) if is_pronoun and not is_polite else None

    def _link_name(self, one: Referent, paragraph: NamedParagraph) -> str:
        """Link a name to its person, and note the evidence; returns the doubt, or ""."""
        if self.people.is_thing(Name(one.start, one.end, one.called), paragraph):
            return "names_thing"
        one.person = self.people.owners[one.called]
        if one.person is None:
            return "ambiguous_name"
        one.gender = self.people.found[one.person].gender
        if (before := self._named.get(one.person)) == one.called:
            one.evidence = "same_full_name" if len(before.split()) > 1 else "same_word"
        elif before is not None:
            own, others = (split_name_words(name, self.words) for name in (one.called, before))
            one.evidence = "part_of_name" if set(own) & set(others) else "second_name"
        self._named[one.person] = one.called
        return ""

    def _link_pronoun(self, one: Referent, behind: Sequence[Referent], read: Analysis) -> str:
        """Link a pronoun to its only possible person; returns the doubt, or "" for no doubt."""
        # 1. All mentions of a fitting gender in its sentence and the sentence before must be of one
        #    person. A noun between is a doubt, since it may be somebody else.
        fits = [
            r
            for r in self._recent
            if r.gender in (one.gender, None) and r.sentence >= self._number - _BEFORE
        ]
        mentions = [r for r in fits if r.kind in (ReferentKind.name, ReferentKind.pronoun)]
        if any(r.kind is ReferentKind.name and r.gender is None for r in mentions):
            return "gender_unknown"
        if any(r.kind in (ReferentKind.noun, ReferentKind.unseen) for r in fits):
            return "noun_between"
        if any(r.person is None for r in mentions):
            return "pronoun_in_doubt"
        if not mentions:
            return "nobody_before"
        if len({r.person for r in mentions}) > 1:
            return "two_persons"
        # 2. Where subjects are left unsaid, one may be meant unless the person is one.
        if self.reference.drops_subjects and not any(r.is_subject for r in mentions):
            return "unsaid_subject"
        # 3. By grammatical gender it may mean a thing, unless it is a possessive.
        owns = bool(read.deprel) and read.deprel[one.words[0]] in _OWNING
        if not owns and any(r.kind is ReferentKind.thing for r in fits):
            return "thing_of_gender"
        last = mentions[-1]
        here = [r for r in mentions if r.sentence == one.sentence]
        # 4. Within speech "she" mostly means another person than outside of it.
        if last.quoted != one.quoted:
            return "across_quotation"
        # 5. It may mean somebody named only behind it: "When she came, Ann laughed".
        named = (r for r in behind if r.kind is ReferentKind.name and not here)
        for owner in (self.people.owners[r.called] for r in named):
            if owner != last.person and (
                owner is None or self.people.found[owner].gender in (one.gender, None)
            ):
                return "name_behind"
        one.person = last.person
        one.evidence = f"{last.kind}_{'same_sentence' if here else 'sentence_before'}"
        return ""

    def _link_doubtful(self, one: Referent, read: Analysis) -> None:
        """Link a mention in spite of its doubt to the most probable person, if there is one."""
        one.evidence, doubt = one.fault, one.fault
        if one.kind in (ReferentKind.name, ReferentKind.unseen):
            # The last person with a word of the name.
            called = set((one.called or read.form(one.words[0])).split())
            for person in reversed(self._named):
                if any(called & set(name.split()) for name in self.people.found[person].names):
                    one.person, one.gender = person, self.people.found[person].gender
                    one.fault = ""
                    return
            return
        fits = [r for r in self._recent if r.person is not None and r.gender in (one.gender, None)]
        # The best is of the nearest sentence, of a known gender, a subject, and the last.
        order = sorted(
            fits, key=lambda r: (r.sentence, r.gender is not None, r.is_subject, r.start)
        )
        for best in reversed(order):
            one.person = best.person
            if doubt == "own_subject" or not self._is_of_own_clause(one, read):
                one.fault = ""
                return
        one.person = None

    def _is_of_own_clause(self, one: Referent, read: Analysis) -> bool:
        """Tell whether the subject of a mention's clause is of the same person: "Ann saw her".

        Only reflexives and possessives are. A clause without a subject has that of the clause
        above: "Ann hated arguing with her".
        """
        place, itself = one.head, self.reference.gender_of_reflexive(read.form(one.head).lower())
        if itself or not read.head or read.deprel[place] in _OWNING:
            return False
        while not read.deprel[place].startswith("nsubj") and read.head[place] != place:
            place = read.head[place]
            for i in self._below.get(place, ()):
                if read.deprel[i].startswith("nsubj"):
                    same = (r for r in self._recent if r.person == one.person)
                    return any(r.sentence == one.sentence and i in r.words for r in same)
        return False


def _is_said_of_name(
    read: Analysis, i: int, of_name: Mapping[int, Name], below: Mapping[int, Sequence[int]]
) -> bool:
    """Tell whether a noun is said of somebody named: "the king, John", "John was a king"."""
    if not read.head:
        return False
    if read.head[i] in of_name and read.deprel[i] in _PART_OF_NAME:
        return True
    return any(
        read.deprel[j].startswith(("nsubj", "cop"))
        or (j in of_name and read.deprel[j] in _PART_OF_NAME)
        for j in below.get(i, ())
    )
