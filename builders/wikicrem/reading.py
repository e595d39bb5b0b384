"""Read the subjects and clauses before the mask, and whom they mean.

A pronoun that is a subject is read as the subject of the clause that governs its own or that it is
joined to ("Ann saw that she ..."), else as the last subject before it. A pronoun subject is never
somebody whom its own clause names ("she saw Ann").
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
    def last_subject(self) -> str:
        """The last subject before the mask, by name or pronoun: "answer", "rival" or ""."""
        return self._last_of(range(self.mask - 1, -1, -1))

    def _last_of(self, words: range) -> str:
        """Find the first of the words to be a subject meaning the answer or a rival."""
        subjects = (word for word in words if self.relation(word) == "nsubj")
        return next(filter(None, map(self._resolve, subjects)), "")

    def _find_antecedent(self, word: int, own: int) -> str:
        """Find the person that a pronoun as subject would mean: "answer", "rival" or "" for nobody.

        The subjects of the clauses above come first, from the nearest; then those before the word
        in its sentence, from the last.
        """
        for clause in self._list_governing(own):
            subject = self.subjects.get(clause)
            if subject is not None and subject < word and (person := self._resolve(subject)):
                return person
        return self._last_of(range(word - 1, self.sentence_start(word) - 1, -1))

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

    def _list_governing(self, clause: int) -> Iterator[int]:
        """List the clauses above a clause, nearest first."""
        for _ in self.analysis.head:
            above = self.analysis.head[clause]
            if above == clause:
                return
            clause = self.find_clause(above)
            yield clause

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
