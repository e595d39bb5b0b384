"""Whom a reader would take a pronoun in the mask's place for, by subjects and clauses.

A pronoun that is a subject is read as the subject of the clause that governs its own or that it is
joined to ("Ann saw that [MASK] ...", "Ann sat down, and [MASK] ..."), else as the last subject
before it. A pronoun subject is never somebody whom its own clause names ("she saw Ann").

Where a pronoun may mean a thing as well, whom it means is less plain (`strict`): two rivals are too
many; where the parser finds a subject no clause, any rival is enough; and what is no subject may be
whoever acted last in another clause.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from corefmill.builders.nlp import Analysis
from corefmill.builders.persons.drafts import DraftContext
from corefmill.builders.persons.names import Name
from corefmill.corpora.records import Span

_JOINED = frozenset({"conj", "parataxis"})
_SUBORDINATE = frozenset({"ccomp", "advcl", "acl", "relcl", "csubj"})
_CLAUSES = _SUBORDINATE | _JOINED | {"root", "ROOT"}
_ASTRAY = frozenset({"conj", "parataxis", "root", "ROOT", "dislocated", "flat", "det"})
"""The relations of a subject whose verb the parser did not see: ", but Ann often left"."""


def tokens_of(analysis: Analysis, start: int, end: int) -> Span:
    """The half-open range of the words that overlap [start, end)."""
    inside = [i for i, (s, e) in enumerate(analysis.words) if s < end and start < e]
    return (inside[0], inside[-1] + 1) if inside else (0, 0)


def head_of(analysis: Analysis, first: int, last: int) -> int:
    """The word of a name that the name hangs by."""
    outside = (i for i in range(first, last) if not first <= analysis.head[i] < last)
    return next(outside, first)


@dataclass(frozen=True)
class PronounReading:
    """The mask of a parsed draft, and the names and pronouns that compete with it."""

    view: DraftContext
    analysis: Analysis

    @cached_property
    def forms(self) -> list[str]:
        """The words in small letters."""
        return [form.lower() for form in self.analysis.forms]

    @cached_property
    def mask(self) -> int:
        """The word that the mask hangs by."""
        return self.word(self.view.draft.target)

    @cached_property
    def is_subject(self) -> bool:
        """Whether the mask is the subject of its clause, or the parser found it no place in it."""
        return self.relation(self.mask) == "nsubj" or self._is_astray

    @property
    def strict(self) -> bool:
        """Whether the language's pronouns may mean things, too."""
        return bool(self.view.table.thing_pronouns)

    @cached_property
    def _is_astray(self) -> bool:
        if not self.strict or self.relation(self.mask) not in _ASTRAY:
            return False
        start = self.view.draft.target.start - self.view.draft.span[0]
        before = [end for _, end in self.analysis.words if end <= start]
        return not before or self.analysis.upos[len(before) - 1] != "ADP"

    @cached_property
    def is_possessor(self) -> bool:
        """Whether something of the mask's is named: "[MASK]'s hat"."""
        return "poss" in self.analysis.deprel[self.mask]

    @cached_property
    def of_rival(self) -> bool:
        """Whether a pronoun would be read as somebody else of the answer's gender."""
        if self.strict and self._rivals > 1:
            return True
        own = self.clause(self.mask)
        # Whether the thing possessed is the clause's subject:
        if self.is_subject or (
            self.is_possessor and (self.subject(own) == self.analysis.head[self.mask])
        ):
            read = self._antecedent(self.mask, own) or self._carried_over
            return read == "rival" or (not read and self._is_astray and self._rivals > 0)
        while (subject := self.subject(own)) is None and self._bare(own) not in _JOINED:
            # Who does what has no subject is the one above: "Ann hoped to see [MASK]".
            above = next(self._governing(own), None)
            if above is None:
                break
            own = above[0]
        inner = subject is not None and subject < self.mask and self._person(subject) == "rival"
        if self.is_possessor:
            return (inner and self._bare(own) in _SUBORDINATE) or self._governed(own)
        # "Ann saw [MASK]": no pronoun there would be Ann.
        return not inner and (self._governed(own) or (self.strict and self._acting(own) == "rival"))

    def _acting(self, own: int) -> str:
        """Who, of those named before the mask, was a subject last, but for its own clause's."""
        for word in range(self.mask - 1, -1, -1):
            if word in self.known and self.relation(word) == "nsubj" and self.clause(word) != own:
                return self.known[word]
        return ""

    @cached_property
    def _rivals(self) -> int:
        """How many persons besides the answer stand before the mask and may be meant."""
        answer, persons = self.view.draft.target.text, self.view.persons
        found: list[str] = []
        for name in self.view.draft.names:
            if name.start >= self.view.draft.target.start or persons.are_opposed(name.text, answer):
                continue
            known = (answer, *found)
            if not any(name.text == one or persons.same(name.text, one) for one in known):
                found.append(name.text)
        return len(found)

    @cached_property
    def last_subject(self) -> str:
        """Who was the last subject before the mask, by name or pronoun: "answer", "rival" or ""."""
        subjects = (w for w in range(self.mask - 1, -1, -1) if self.relation(w) == "nsubj")
        return next(filter(None, map(self._person, subjects)), "")

    def _governed(self, own: int) -> bool:
        """Whether a rival is the subject of a clause that governs the mask's."""
        for clause, relation in self._governing(own):
            if relation in _JOINED:
                return False
            subject = self.subject(clause)
            if subject is not None and subject < self.mask:
                person = self._person(subject)
                if person:
                    return person == "rival"
        return False

    def _antecedent(self, word: int, own: int) -> str:
        """Whom a subject that were a pronoun would be read as: "answer", "rival" or ""."""
        for clause, _ in self._governing(own):
            subject = self.subject(clause)
            if subject is not None and subject < word and (person := self._person(subject)):
                return person
        first = self.sentence_start(word)
        for subject in range(word - 1, first - 1, -1):
            if self.relation(subject) == "nsubj" and (person := self._person(subject)):
                return person
        return ""

    @cached_property
    def _carried_over(self) -> str:
        """Whom a subject is read as that begins the second sentence: the first one's subject, if
        that is a pronoun, or if the answer was only named as a possessor, or `strict` and the
        answer was never a subject before."""
        first = self.sentence_start(self.mask)
        for word in range(first):
            subject = self.subject(word)
            if self.analysis.head[word] == word and subject is not None:
                known = self.known.get(subject)
                named = self._answers[:-1]
                if self.strict:
                    silent = not any(self.relation(word) == "nsubj" for word in named)
                else:
                    silent = all("poss" in self.analysis.deprel[word] for word in named)
                return self._person(subject) if known is None or silent else ""
        return ""

    def _person(self, word: int) -> str:
        """Whether a subject is the answer, a rival, or nobody whom the pronoun could mean ("")."""
        if word in self.known:
            return self.known[word]
        if self.forms[word] not in self.view.pronouns:
            return ""
        own = self.clause(word)
        if any(word < named and self.is_below(named, own) for named in self._answers):
            return "rival"
        return self._antecedent(word, own) or self._last_before(word)

    def _last_before(self, word: int) -> str:
        """The last person who was a subject in the sentences before the word's."""
        for subject in range(self.sentence_start(word) - 1, -1, -1):
            if self.relation(subject) == "nsubj" and (person := self.known.get(subject)):
                return person
        return ""

    @cached_property
    def known(self) -> dict[int, str]:
        """The words that names before the mask hang by, but for those of the other gender."""
        view, target = self.view, self.view.draft.target
        return {
            self.word(name): "answer" if name.text == target.text else "rival"
            for name in view.draft.names
            if name.start < target.start
            and (name.text == target.text or not view.persons.are_opposed(name.text, target.text))
        }

    @cached_property
    def _answers(self) -> list[int]:
        known = [word for word, person in self.known.items() if person == "answer"]
        return [*known, self.mask]

    def word(self, name: Name) -> int:
        """The word that a name of the passage hangs by."""
        shift = self.view.draft.span[0]
        first, last = tokens_of(self.analysis, name.start - shift, name.end - shift)
        return head_of(self.analysis, first, last)

    def relation(self, word: int) -> str:
        """A word's relation, that of a passive's subject as any subject's."""
        return self.analysis.deprel[word].partition(":")[0].replace("nsubjpass", "nsubj")

    def clause(self, word: int) -> int:
        """The predicate of the clause that a word stands in."""
        seen = 0
        while self._bare(word) not in _CLAUSES or (
            self._bare(word) == "conj"
            and self.subject(word) is None
            and (self.analysis.upos[word] in ("NOUN", "PROPN", "PRON", "ADJ", "NUM"))
        ):
            above = self.analysis.head[word]
            seen += 1
            if above == word or seen > len(self.analysis.head):
                break
            word = above
        return word

    def _bare(self, word: int) -> str:
        """The relation, where a relative clause is one in whichever scheme."""
        return self.analysis.deprel[word].partition(":")[0]

    def _governing(self, clause: int) -> Iterator[tuple[int, str]]:
        """The clauses above a clause, from the nearest, with the relation that leads there."""
        for _ in self.analysis.head:
            above = self.analysis.head[clause]
            if above == clause:
                return
            relation, clause = self._bare(clause), self.clause(above)
            yield clause, relation

    def subject(self, clause: int) -> int | None:
        """The first subject of a clause."""
        return self._subjects.get(clause)

    @cached_property
    def _subjects(self) -> dict[int, int]:
        """The first subject of each word that has one."""
        found: dict[int, int] = {}
        for word, above in enumerate(self.analysis.head):
            if self.relation(word) == "nsubj":
                found.setdefault(above, word)
        return found

    def is_below(self, word: int, above: int) -> bool:
        """Whether a word hangs on another, or is it."""
        for _ in self.analysis.head:
            if word == above:
                return True
            if self.analysis.head[word] == word:
                return False
            word = self.analysis.head[word]
        return False

    def sentence_start(self, word: int) -> int:
        """The first word of the passage's sentence that a word stands in."""
        shift = self.view.draft.span[0]
        at = self.analysis.words[word][0] + shift
        start = max(s for s, _ in self.view.draft.sentences if s <= at)
        return tokens_of(self.analysis, start - shift, start - shift + 1)[0]
