"""Show clean mode's filters a problem: the parsed sentence, its two persons, its pronoun."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from corefmill.builders.knowref.sentences import ProblemSpans, RawSentence
from corefmill.builders.knowref.table import KnowrefWords
from corefmill.builders.nlp import Analysis
from corefmill.builders.persons.drafts import Draft, DraftContext
from corefmill.builders.persons.names import Name
from corefmill.builders.persons.persons import Persons
from corefmill.builders.persons.table import Gender, PersonWords
from corefmill.builders.persons.usage import Usage
from corefmill.corpora.records import Span

ProblemFilter = Callable[["Problem"], bool]


@dataclass(frozen=True)
class Problem:
    """A sentence with its parse and names; all offsets are the sentence's own.

    `names` are all personal names of the sentence. A problem is `mined` if gender tells which of
    two persons before the pronoun is meant: then persons of either gender are candidates.
    """

    sentence: RawSentence
    read: Analysis
    names: tuple[Name, ...]
    usage: Usage
    persons: Persons
    table: KnowrefWords
    words: PersonWords
    mined: bool = False

    @property
    def text(self) -> str:
        """The sentence."""
        return self.sentence.text

    @property
    def spans(self) -> ProblemSpans:
        """Connective and pronoun."""
        return self.sentence.spans

    @property
    def gender(self) -> Gender:
        """The pronoun's gender."""
        gender = self.table.gender_of(self.pronoun)
        assert gender is not None  # the surface test has checked this
        return gender

    @property
    def pronoun(self) -> str:
        """The pronoun's form in small letters."""
        return self.text[slice(*self.spans.pronoun)].lower()

    @cached_property
    def named_before(self) -> tuple[str, ...]:
        """The persons named before the connective, in order of their first mention."""
        before = self.spans.connective[0]
        return tuple(dict.fromkeys(name.text for name in self.names if name.end <= before))

    @cached_property
    def candidates(self) -> tuple[str, ...]:
        """List the persons named before the connective and of a fitting gender, all if `mined`."""
        if self.mined:
            return self.named_before
        return tuple(
            name for name in self.named_before if self.gender_of(name) in (None, self.gender)
        )

    @cached_property
    def label(self) -> int | None:
        """Find the candidate of the pronoun's gender if `mined`; None if gender does not tell."""
        genders = [self.gender_of(name) for name in self.candidates]
        if not self.mined or len(genders) != 2 or None in genders or genders[0] == genders[1]:
            return None
        return genders.index(self.gender)

    @cached_property
    def mentions(self) -> tuple[Name, ...]:
        """The mentions of the candidates before the connective."""
        before = self.spans.connective[0]
        return tuple(n for n in self.names if n.end <= before and n.text in self.candidates)

    @property
    def inflected(self) -> bool:
        """Tell whether a candidate has a case ending that another name would lack: "Marii"."""
        cases = self.table.swapped_cases
        if any(self.usage.is_genitive(self.text[n.start : n.end]) for n in self.mentions):
            return True  # whatever the parser makes of it
        words = [i for name in self.mentions for i in self.find_words((name.start, name.end))]
        feats = (feat for i in words if self.read.feats for feat in self.read.feats[i].split("|"))
        found = {feat.removeprefix("Case=") for feat in feats if feat.startswith("Case=")}
        return bool(cases) and not (self.read.feats and cases.issuperset(found))

    @cached_property
    def view(self) -> DraftContext:
        """Show the problem as a draft, for filters of drafts: the first person is the answer."""
        shift = self.sentence.start
        moved = tuple(Name(n.start + shift, n.end + shift, n.text) for n in self.names)
        first = next(name for name in moved if name.text == self.candidates[0])
        span = (shift, shift + len(self.text))
        return DraftContext(
            article=self.sentence.article,
            paragraph=self.sentence.paragraph,
            draft=Draft((span,), first, self.candidates[1:], moved),
            read=self.read,
            read_from=shift,
            usage=self.usage,
            persons=self.persons,
            table=self.words,
        )

    def index(self, span: Span) -> int | None:
        """Find the word that begins at the span's start; None if a token begins elsewhere."""
        return next((i for i, (start, _) in enumerate(self.read.words) if start == span[0]), None)

    def word_at(self, span: Span) -> int | None:
        """Find the last word of a span ("de" + "ele": "dele"); None if a token begins elsewhere."""
        first = self.index(span)
        return None if first is None else self.find_words(span)[-1]

    def find_words(self, span: Span) -> range:
        """Find the words overlapping the span."""
        found = [i for i, (s, e) in enumerate(self.read.words) if s < span[1] and span[0] < e]
        return range(found[0], found[-1] + 1) if found else range(0)

    def is_named(self, index: int) -> bool:
        """Tell whether a word is part of a personal name."""
        start, end = self.read.words[index]
        return any(name.start < end and start < name.end for name in self.names)

    def gender_of(self, name: str) -> Gender | None:
        """Look up a person's gender in the article; None where it may be either."""
        return self.persons.find_gender(name).form
