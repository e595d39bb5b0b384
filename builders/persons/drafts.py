"""Make drafts of passages, and show filters each draft in its article.

The paper's rules are conditions (a) and (b) of its section 3; clean mode only asks that both names
stand before the mask.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from corefmill.builders.nlp import Analysis
from corefmill.builders.persons.names import Name, decline_name, find_cases, strip_honorifics
from corefmill.builders.persons.persons import Persons
from corefmill.builders.persons.prose import find_dash_speech
from corefmill.builders.persons.table import CASES, PersonWords, plain
from corefmill.builders.persons.usage import Usage
from corefmill.builders.wiki.article import Article
from corefmill.builders.wiki.markup.records import Paragraph
from corefmill.corpora.records import Span
from corefmill.corpora.words import cut_tokens, marks_class

_WORD = re.compile(r"\w+")
_NAME_PART = re.compile(rf"[\w{marks_class()}]+")
_TOKENS = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True)
class DraftContext:
    """A draft in its paragraph; all spans are offsets into the paragraph's text.

    `read` is the analysis of the part of the paragraph that begins at `read_from`; its offsets
    count from there. `syntax` is the analysis of the passage alone, with offsets from the passage's
    start; it is set before the filters that need a parse.
    """

    article: Article
    paragraph: Paragraph
    draft: Draft
    read: Analysis
    read_from: int
    usage: Usage
    persons: Persons
    table: PersonWords
    syntax: Analysis | None = None

    @property
    def text(self) -> str:
        """The paragraph's text."""
        return self.paragraph.text

    @property
    def candidates(self) -> tuple[str, ...]:
        """The answer, then the wrong ones."""
        return (self.draft.target.text, *self.draft.others)

    @property
    def shown_names(self) -> dict[str, str]:
        """Map each candidate to the form in which a list shows all names alike.

        The answer has the form that the text has at the mask. The other candidates are put in the
        same case: in a form of the passage, else in one of the table. No form has an article.
        Where names have one form, each candidate is shown unchanged.
        """
        if not (self.table.names_vary or self.table.articles):
            return {name: name for name in self.candidates}
        target, read, shift = self.draft.target, self.syntax, self.draft.span[0]
        shown = {target.text: self.text[slice(*target.mention)]}
        cases = find_cases(shown[target.text], target.text, self.table)
        if read is not None and read.feats:
            # Of the cases that the form may be in, the parse of the masked words chooses.
            start, end = target.start - shift, target.end - shift
            feats = [
                f for (s, e), f in zip(read.words, read.feats, strict=True) if s < end and start < e
            ]
            parsed = {
                at for at, case in enumerate(CASES) if any(f"Case={case}" in f for f in feats)
            }
            cases = cases & parsed or cases
        for other in self.draft.others:
            written = (self.text[slice(*name.mention)] for name in self.mentions(other))
            fitting = (form for form in written if cases & find_cases(form, other, self.table))
            shown[other] = next(fitting, "") or decline_name(other, min(cases), self.table)
        return shown

    def drop_faulty_candidates(self, faulty: Callable[[DraftContext], bool]) -> DraftContext:
        """Return the draft without the wrong candidates that are faulty, unless all are faulty."""
        others = self.draft.others
        if len(others) == 1:
            return self
        kept = tuple(
            other
            for other in others
            if not faulty(replace(self, draft=replace(self.draft, others=(other,))))
        )
        return replace(self, draft=replace(self.draft, others=kept or others))

    @property
    def tokens(self) -> list[Span]:
        """List the passage's tokens, cut where a name begins or ends within a token."""
        start, end = self.draft.span
        read = ((left + self.read_from, right + self.read_from) for left, right in self.read.tokens)
        return cut_tokens(
            ((left, right) for left, right in read if start <= left and right <= end),
            (border for name in self.draft.names for border in (name.start, name.end)),
        )

    @property
    def passage(self) -> str:
        """The passage's text."""
        start, end = self.draft.span
        return self.text[start:end]

    @property
    def before(self) -> str:
        """The masked sentence up to the mask."""
        return self.text[self.draft.sentences[-1][0] : self.draft.target.start]

    @property
    def after(self) -> str:
        """The masked sentence behind the mask."""
        return self.text[self.draft.target.end : self.draft.sentences[-1][1]]

    @property
    def elided_before(self) -> str:
        """The elided word touching the mask ("qu'" of "qu'[MASK]"), "" for none."""
        return self.table.elided_prefix(self.before.rpartition(" ")[2] + "x")

    def last_words(self, count: int) -> list[str]:
        """List the words and punctuation right before the mask, nearest last."""
        return _TOKENS.findall(self.before[-80:])[-count:]

    def next_words(self, count: int) -> list[str]:
        """List the words and punctuation right behind the mask."""
        return _TOKENS.findall(self.after[:80])[:count]

    @property
    def pronouns(self) -> frozenset[str]:
        """List the pronouns of the answer's gender, all if it is unknown, in lower case."""
        of = {"male": self.table.male_pronouns, "female": self.table.female_pronouns}
        gender = self.persons.find_gender(self.draft.target.text).form
        return of.get(gender or "", self.table.male_pronouns | self.table.female_pronouns)

    @property
    def pronouns_tell(self) -> bool:
        """Whether the masked sentence has a pronoun of the answer's gender."""
        return not self.pronouns.isdisjoint(_WORD.findall((self.before + self.after).lower()))

    @property
    def name_lists(self) -> Iterator[tuple[list[Name], set[str]]]:
        """List the names joined by conjunctions or commas, with those conjunctions.

        A comma alone between two names makes no list: "When he saw Ann, Bob left". The word before
        the first name may stand before each: "for Ann and for Bob".
        """
        names: list[Name] = []
        words: set[str] = set()
        for name in self.draft.names:
            between = self.text[names[-1].end : name.start] if names else ""
            joint = {*between.replace(",", " ").lower().split()}
            if names and len(joint) > 1:
                joint -= {
                    *_WORD.findall(self.text[max(0, names[0].start - 20) : names[0].start])[-1:]
                }
            if names and between.strip() and joint <= self.table.conjunctions:
                names.append(name)
                words |= joint
                continue
            if len(names) > 2 or words:
                yield names, words
            names, words = [name], set()
        if len(names) > 2 or words:
            yield names, words

    def mentions(self, candidate: str) -> Iterator[Name]:
        """Find the occurrences of a candidate in the passage, the target among them."""
        return (name for name in self.draft.names if name.text == candidate)

    def list_parts(self, candidate: str) -> tuple[str, ...]:
        """List the words of a name without honorifics, prepositions and initials, each once."""
        words = _NAME_PART.findall(strip_honorifics(candidate, self.table))
        within = self.table.within_names
        return tuple(dict.fromkeys(w for w in words if len(w) > 1 and plain(w) not in within))

    @cached_property
    def dash_speech(self) -> list[Span]:
        """The parts of the paragraph spoken behind dashes."""
        return find_dash_speech(self.text, self.table.speech_dashes, self.table.saying)


@dataclass(frozen=True, slots=True)
class Draft:
    """A passage of a few sentences with the name to mask; offsets are the analysed text's.

    `others` are the wrong candidates in order of their first mention; `names` are all personal
    names of the passage.
    """

    sentences: tuple[Span, ...]
    target: Name
    others: tuple[str, ...]
    names: tuple[Name, ...]

    @property
    def span(self) -> Span:
        """The passage."""
        return self.sentences[0][0], self.sentences[-1][1]

    @property
    def rule(self) -> str:
        """Name the condition of the paper that the draft meets, "a" or "b"; "c" for neither."""
        if len(self.sentences) == 1:
            return "a"
        _, border = self.sentences[0]
        first = {name.text for name in self.names if name.end <= border}
        second = {name.text for name in self.names if name.end > border and name != self.target}
        as_answer = self.target.text in second
        if len(self.sentences) > 2 or not first.issuperset((self.target.text, *self.others)):
            return "c"
        return "b" if all((other in second) == as_answer for other in self.others) else "c"


def draft_nearest(
    sentences: Sequence[Span], names: Sequence[Name], most: int
) -> Iterator[list[Draft]]:
    """Draft the passages of clean mode: masked names with an earlier mention and a rival before.

    A passage is the masked sentence and as few before it as name both, at most `most` in all. One
    draft of each list becomes an example. A name inside two sentences belongs to neither.
    """
    by_sentence = _group_by_sentence(sentences, names)
    for last, here in enumerate(by_sentence):
        for answer, occurrences in _group_by_text(here).items():
            found = []
            for target in occurrences:
                # Grow the passage leftwards until it names the answer and somebody else.
                for first in range(last, max(-1, last - most), -1):
                    passage = [name for group in by_sentence[first : last + 1] for name in group]
                    before = dict.fromkeys(n.text for n in passage if n.end <= target.start)
                    if answer in before and len(before) > 1:
                        others = tuple(name for name in before if name != answer)
                        whole = tuple(sentences[first : last + 1])
                        found.append(Draft(whole, target, others, tuple(passage)))
                        break
            if found:
                yield found


def draft_by_paper(sentences: Sequence[Span], names: Sequence[Name]) -> Iterator[list[Draft]]:
    """Draft the passages of the WikiCREM paper, one group of drafts for each masked name.

    A passage is a sentence (a) or two adjacent ones (b). In (a) both candidates stand before the
    mask in its sentence. In (b) both stand in the first sentence and the mask in the second, where
    either both candidates are named too or neither: with only one of them there the answer is
    too often trivial, says the paper. A name inside two sentences belongs to neither.
    """
    by_sentence = _group_by_sentence(sentences, names)
    for index, here in enumerate(by_sentence):
        for answer, occurrences in _group_by_text(here).items():
            found = []
            for target in occurrences[1:]:
                before = dict.fromkeys(n.text for n in here if n.end <= target.start)
                others = tuple(name for name in before if name != answer)
                if others:
                    found.append(Draft((sentences[index],), target, others, tuple(here)))
            if found:
                yield found
        if not index:
            continue
        earlier, pair = (
            _group_by_text(by_sentence[index - 1]),
            tuple(sentences[index - 1 : index + 1]),
        )
        for answer, occurrences in _group_by_text(here).items():
            found = []
            for target in occurrences if answer in earlier else ():
                beside = {name.text for name in here if name is not target}
                others = tuple(
                    other
                    for other in earlier
                    if other != answer and (other in beside) == (answer in beside)
                )
                if others:
                    found.append(Draft(pair, target, others, (*by_sentence[index - 1], *here)))
            if found:
                yield found


def _group_by_sentence(sentences: Sequence[Span], names: Sequence[Name]) -> list[list[Name]]:
    """List for each sentence the names that lie wholly within the sentence."""
    return [
        [name for name in names if start <= name.start and name.end <= end]
        for start, end in sentences
    ]


def _group_by_text(names: Sequence[Name]) -> dict[str, list[Name]]:
    """Group the occurrences of names by the text of the name, in order of first mention."""
    grouped: dict[str, list[Name]] = {}
    for name in names:
        grouped.setdefault(name.text, []).append(name)
    return grouped
