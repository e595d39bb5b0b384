"""Predict a reader's antecedent for a pronoun in the mask's place, by subjects and clauses.

A pronoun that is a subject is read as the subject of the clause that governs its own or that it is
joined to ("Ann saw that [MASK] ...", "Ann sat down, and [MASK] ..."), else as the last subject
before it. A pronoun subject is never somebody whom its own clause names ("she saw Ann").

Where a language's pronouns may mean things as well, the rules are stricter (`strict`): two rivals
drop a draft, as does any rival if the parser finds no clause for a subject; and a pronoun that is
not a subject may mean whoever acted last in another clause.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from corefmill.builders.nlp import Analysis
from corefmill.builders.persons.drafts import DraftContext
from corefmill.builders.persons.names import Name
from corefmill.corpora.records import Span

# Universal Dependencies, and "relcl" of spaCy's own English pipelines.
_JOINED = frozenset({"conj", "parataxis"})
_SUBORDINATE = frozenset({"ccomp", "advcl", "acl", "relcl", "csubj"})
_CLAUSES = _SUBORDINATE | _JOINED | {"root", "ROOT"}
_ASTRAY = frozenset({"conj", "parataxis", "root", "ROOT", "dislocated", "flat", "det"})
"""The relations of a subject whose verb the parser did not see: ", but Ann often left"."""


def tokens_of(analysis: Analysis, start: int, end: int) -> Span:
    """Find the half-open range of the words overlapping [start, end)."""
    inside = [i for i, (s, e) in enumerate(analysis.words) if s < end and start < e]
    return (inside[0], inside[-1] + 1) if inside else (0, 0)


def head_of(analysis: Analysis, first: int, last: int) -> int:
    """Find the syntactic head among the words of a name."""
    outside = (i for i in range(first, last) if not first <= analysis.head[i] < last)
    return next(outside, first)


@dataclass(frozen=True)
class PronounReading:
    """The mask of a parsed draft, with the competing names and pronouns."""

    view: DraftContext
    analysis: Analysis

    @cached_property
    def forms(self) -> list[str]:
        """The words in small letters."""
        return [form.lower() for form in self.analysis.forms]

    @cached_property
    def mask(self) -> int:
        """The head of the mask."""
        return self.find_head(self.view.draft.target)

    @cached_property
    def is_subject(self) -> bool:
        """Whether the mask is the subject of its clause, or the parser found it no place in it."""
        return self.relation(self.mask) == "nsubj" or self._is_astray

    @property
    def strict(self) -> bool:
        """Whether the language's pronouns may mean things as well."""
        return bool(self.view.table.thing_pronouns)

    @cached_property
    def _is_astray(self) -> bool:
        """Tell whether the parser lost the mask's verb, so that the mask may be a subject."""
        if not self.strict or self.relation(self.mask) not in _ASTRAY:
            return False
        start = self.view.draft.target.start - self.view.draft.span[0]
        before = [end for _, end in self.analysis.words if end <= start]
        # Behind a preposition the mask is not a subject: "bei [MASK]".
        return not before or self.analysis.upos[len(before) - 1] != "ADP"

    @cached_property
    def is_possessor(self) -> bool:
        """Whether the mask owns the thing named behind it: "[MASK]'s hat"."""
        return "poss" in self.analysis.deprel[self.mask]

    @cached_property
    def of_rival(self) -> bool:
        """Decide whether a pronoun would be read as another person of the answer's gender."""
        if self.strict and self._rivals > 1:
            return True
        own = self.find_clause(self.mask)
        # 1. A subject, or what belongs to one ("[MASK]'s hat fell"): the reader looks for an
        #    antecedent upwards and backwards. Where none is found, an astray subject is doubtful
        #    as soon as there is a rival.
        if self.is_subject or (
            self.is_possessor and self.subjects.get(own) == self.analysis.head[self.mask]
        ):
            read = self._find_antecedent(self.mask, own) or self._carried_over
            return read == "rival" or (not read and self._is_astray and self._rivals > 0)
        # 2. Anything else: find the subject that acts on the mask. An infinitive has the subject of
        #    the clause above ("Ann hoped to see [MASK]"), a joined predicate only its own.
        while (subject := self.subjects.get(own)) is None and self._base(own) not in _JOINED:
            above = next(self._list_governing(own), None)
            if above is None:
                break
            own = above[0]
        by_rival = subject is not None and subject < self.mask and self._resolve(subject) == "rival"
        # "Ann said that Eve took [MASK]'s hat": in a subordinate clause a possessive may well mean
        # the clause's own subject, in a main clause the reader takes it as the answer's.
        if self.is_possessor:
            return (by_rival and self._base(own) in _SUBORDINATE) or self._rival_governs(own)
        # "Eve saw [MASK]": no pronoun there would be Eve, so a rival as subject is a help.
        if by_rival or self._rival_governs(own):
            return not by_rival
        # Where pronouns may mean things, the pronoun may mean whoever acted last in another clause.
        actors = (
            person
            for word, person in sorted(self.name_heads.items(), reverse=True)
            if word < self.mask and self.relation(word) == "nsubj" and self.find_clause(word) != own
        )
        return self.strict and next(actors, "") == "rival"

    @cached_property
    def _rivals(self) -> int:
        """Count the persons before the mask, besides the answer, whom a pronoun may mean."""
        answer, persons = self.view.draft.target.text, self.view.persons
        found: list[str] = []
        for name in self.view.draft.names:
            if name.start >= self.view.draft.target.start or persons.are_opposed(name.text, answer):
                continue
            known = (answer, *found)
            if not any(name.text == one or persons.are_same(name.text, one) for one in known):
                found.append(name.text)
        return len(found)

    @cached_property
    def last_subject(self) -> str:
        """The last subject before the mask, by name or pronoun: "answer", "rival" or ""."""
        return self._last_of(range(self.mask - 1, -1, -1))

    def _last_of(self, words: range) -> str:
        """Find the first of the words to be a subject meaning the answer or a rival."""
        subjects = (word for word in words if self.relation(word) == "nsubj")
        return next(filter(None, map(self._resolve, subjects)), "")

    def _rival_governs(self, own: int) -> bool:
        """Tell whether a rival is the subject of a governing clause."""
        for clause, relation in self._list_governing(own):
            # Beyond a conjunction nothing governs: "Eve left, and Bob saw [MASK]".
            if relation in _JOINED:
                return False
            subject = self.subjects.get(clause)
            # A subject behind the mask has not been read yet; one that means nobody is skipped.
            if subject is not None and subject < self.mask and (person := self._resolve(subject)):
                return person == "rival"
        return False

    def _find_antecedent(self, word: int, own: int) -> str:
        """Find the person that a pronoun as subject would mean: "answer", "rival" or "" for nobody.

        The subjects of the clauses above come first, from the nearest; then those before the word
        in its sentence, from the last.
        """
        for clause, _ in self._list_governing(own):
            subject = self.subjects.get(clause)
            if subject is not None and subject < word and (person := self._resolve(subject)):
                return person
        return self._last_of(range(word - 1, self.sentence_start(word) - 1, -1))

    @cached_property
    def _carried_over(self) -> str:
        """The antecedent of a subject at the head of a later sentence: the first one's subject.

        The result is certain only if that subject is a pronoun ("She left. [MASK] ..."). A named
        subject competes with the answer. So it counts only if the answer was named as a possessor
        alone ("Ann met Eve's aunt. [MASK] ...") or, if `strict`, never as a subject.
        """
        for word in range(self.sentence_start(self.mask)):
            subject = self.subjects.get(word)
            if self.analysis.head[word] == word and subject is not None:
                named = self._answers[:-1]  # the last one is the mask
                if self.strict:
                    is_weak = not any(self.relation(answer) == "nsubj" for answer in named)
                else:
                    is_weak = all("poss" in self.analysis.deprel[answer] for answer in named)
                return self._resolve(subject) if subject not in self.name_heads or is_weak else ""
        return ""

    def _resolve(self, word: int) -> str:
        """Find whom a subject means: "answer", "rival", or "" for anybody else."""
        if word in self.name_heads:
            return self.name_heads[word]
        if self.forms[word] not in self.view.pronouns:
            return ""
        # "She saw that Ann ...": a pronoun over a mention of the answer is somebody else.
        own = self.find_clause(word)
        if any(word < named and self.is_below(named, own) for named in self._answers):
            return "rival"
        if read := self._find_antecedent(word, own):
            return read
        # In earlier sentences only names count: a pronoun would start the search anew.
        for subject in range(self.sentence_start(word) - 1, -1, -1):
            if self.relation(subject) == "nsubj" and subject in self.name_heads:
                return self.name_heads[subject]
        return ""

    @cached_property
    def name_heads(self) -> dict[int, str]:
        """Map the heads of earlier names, if of fitting gender, to "answer" or "rival"."""
        view, target = self.view, self.view.draft.target
        return {
            self.find_head(name): "answer" if name.text == target.text else "rival"
            for name in view.draft.names
            if name.start < target.start
            and (name.text == target.text or not view.persons.are_opposed(name.text, target.text))
        }

    @cached_property
    def _answers(self) -> list[int]:
        known = [word for word, person in self.name_heads.items() if person == "answer"]
        return [*known, self.mask]

    def find_head(self, name: Name) -> int:
        """Find the syntactic head of a name, as an index of words."""
        shift = self.view.draft.span[0]
        first, last = tokens_of(self.analysis, name.start - shift, name.end - shift)
        return head_of(self.analysis, first, last)

    def relation(self, word: int) -> str:
        """Look up a word's relation; a passive's subject is a subject."""
        return self.analysis.deprel[word].partition(":")[0].replace("nsubjpass", "nsubj")

    def find_clause(self, word: int) -> int:
        """Find the predicate of the clause that a word stands in, as an index of words."""
        # A parser may err in a ring, so no more steps than there are words.
        for _ in self.analysis.head:
            # "Ann and Eve left": a noun joined to another is not a clause, unless it has a subject.
            is_joined_noun = (
                self._base(word) == "conj"
                and self.subjects.get(word) is None
                and self.analysis.upos[word] in ("NOUN", "PROPN", "PRON", "ADJ", "NUM")
            )
            above = self.analysis.head[word]
            if (self._base(word) in _CLAUSES and not is_joined_noun) or above == word:
                break
            word = above
        return word

    def _base(self, word: int) -> str:
        """Strip the subtype of a relation: "acl:relcl" is "acl"."""
        return self.analysis.deprel[word].partition(":")[0]

    def _list_governing(self, clause: int) -> Iterator[tuple[int, str]]:
        """List the clauses above a clause, nearest first, each with the relation to it."""
        for _ in self.analysis.head:
            above = self.analysis.head[clause]
            if above == clause:
                return
            relation, clause = self._base(clause), self.find_clause(above)
            yield clause, relation

    @cached_property
    def subjects(self) -> dict[int, int]:
        """Map the predicate of each clause to the clause's first subject."""
        found: dict[int, int] = {}
        for word, above in enumerate(self.analysis.head):
            if self.relation(word) == "nsubj":
                found.setdefault(above, word)
        return found

    def is_below(self, word: int, above: int) -> bool:
        """Tell whether a word depends on another, directly or not, or is the same word."""
        for _ in self.analysis.head:
            if word == above:
                return True
            if self.analysis.head[word] == word:
                return False
            word = self.analysis.head[word]
        return False

    def sentence_start(self, word: int) -> int:
        """Find the first word of a word's sentence."""
        shift = self.view.draft.span[0]
        at = self.analysis.words[word][0] + shift
        start = max(s for s, _ in self.view.draft.sentences if s <= at)
        return tokens_of(self.analysis, start - shift, start - shift + 1)[0]
