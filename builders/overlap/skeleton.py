"""Parses a pronoun problem into candidates, their predicate, connective, pronoun, its predicate.

The paper (section 3.1) names the parts and leaves the rules to a parse; these are ours, on the
relations of Universal Dependencies, so that they hold for any language with a pipeline:

1. The query predicate is the clause that the pronoun stands in, up to the verb that governs it
   ("tried to call" is one predicate): verb or nominal, auxiliaries, copula, particles, negation.
2. The context predicate is the lowest clause over both candidates; where they have none in common,
   or only the query's, that of the candidate which stands nearest before the pronoun.
3. Adverbs between the words of a predicate belong to it ("was so heavy"), but text need not have
   them: the paper's own first example in table 4 has not.
4. The connective is the conjunction or subjunction of the query clause, or of the context clause,
   or the adverb that the query clause opens with ("so they left").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from corefmill.builders.nlp import Analysis
from corefmill.corpora.records import MaskedExample, Span

_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class Predicate:
    """The words of a predicate as spans of the text: `needed` by a match, and all of them."""

    needed: tuple[Span, ...]
    words: tuple[Span, ...]

    def surface(self, text: str) -> str:
        """The words as they are written."""
        return _joined(text, self.words)


@dataclass(frozen=True, slots=True)
class Skeleton:
    """The parts of a problem as spans of `text`, which has a candidate where there was a blank.

    `opening` are those that are capital only because a sentence begins with them.
    """

    text: str
    candidates: tuple[Span, ...]
    context: Predicate
    connective: Span | None
    pronoun: Span
    query: Predicate
    opening: tuple[Span, ...] = ()


def readable(example: MaskedExample) -> tuple[str, Span]:
    """The text to parse and its target: the first candidate takes the place of a mere blank."""
    start, end = example.target
    if _LETTER.search(example.text[start:end]):
        return example.text, example.target
    name = example.candidates[0]
    return example.text[:start] + name + example.text[end:], (start, start + len(name))


def skeleton(example: MaskedExample, analysis: Analysis) -> Skeleton | str:
    """The parts of a problem whose `readable` text was analysed, or why there are none.

    The reasons are no_parse, no_pronoun, no_candidate and one_clause: the pronoun's predicate is
    that of both candidates, so that there are no two to look for.
    """
    if not analysis.deprel:
        return "no_parse"
    text, target = readable(example)
    tree = _Tree(analysis)
    pronoun = tree.top_of(target)
    if pronoun is None:
        return "no_pronoun"
    found = _candidates(example, text, target)
    heads = [head for span in found if (head := tree.top_of(span)) is not None]
    if not heads:
        return "no_candidate"
    near = tree.clause(pronoun)
    clauses = tree.context(heads, pronoun)
    if clauses is None:
        return "one_clause"
    context, query = clauses
    return Skeleton(
        text=text,
        candidates=tuple(found),
        context=tree.predicate(context, without=query),
        connective=tree.connective(query, context, near, pronoun),
        pronoun=target,
        query=tree.predicate(query, without=context),
        opening=tuple(span for span in found if tree.opens(span)),
    )


def _candidates(example: MaskedExample, text: str, target: Span) -> list[Span]:
    """Where the first two candidates stand, by their string if need be, as the text has them."""
    shift = len(text) - len(example.text)
    spans = []
    for number, name in enumerate(example.candidates):
        known = [(start, end) for one, start, end in example.mentions if one == number]
        moved = [
            (start + shift, end + shift) if start >= example.target[1] else (start, end)
            for start, end in known
        ]
        places = sorted(moved) or list(_occurrences(name, text, target))
        if places:
            spans.append(places[0])
    return sorted(spans)[:2]


def _occurrences(name: str, text: str, target: Span) -> Iterator[Span]:
    """Where a name stands as words of their own, with its case before without it."""
    pattern = rf"(?<!\w){re.escape(name.strip())}(?!\w)"
    for flags in (re.NOFLAG, re.IGNORECASE):
        spans = [match.span() for match in re.finditer(pattern, text, flags)]
        apart = [span for span in spans if span[1] <= target[0] or target[1] <= span[0]]
        if apart:
            yield from apart
            return


class _Tree:
    """A parse with the questions that the rules ask of it; all numbers are of words."""

    def __init__(self, analysis: Analysis) -> None:
        self._a = analysis
        self._below: list[list[int]] = [[] for _ in analysis.head]
        for word, head in enumerate(analysis.head):
            if head != word:
                self._below[head].append(word)

    def _relation(self, word: int) -> str:
        return self._a.deprel[word].partition(":")[0]

    def top_of(self, span: Span) -> int | None:
        """The word of a span that hangs on one outside it."""
        inside = [
            word
            for word, (start, end) in enumerate(self._a.words)
            if start < span[1] and span[0] < end
        ]
        return next((word for word in inside if self._a.head[word] not in inside), None) or (
            inside[0] if inside else None
        )

    def opens(self, span: Span) -> bool:
        """Whether a sentence begins with the span, and that with no name."""
        first = [number for number, word in enumerate(self._a.words) if word[0] == span[0]]
        starts = {start for start, _ in self._a.sentences}
        return span[0] in starts and any(
            self._a.upos[number : number + 1] not in ((), ("PROPN",)) for number in first
        )

    def clause(self, word: int) -> int:
        """The nearest word above, or this one, that is the head of a clause."""
        for _ in self._a.head:
            if self._is_clause(word) or self._a.head[word] == word:
                break
            word = self._a.head[word]
        return word

    def _is_clause(self, word: int) -> bool:
        relation = self._relation(word)
        if relation in ("aux", "cop", "amod", "compound"):
            return False
        if self._a.upos[word : word + 1] == ("VERB",) or relation == "root":
            return True
        return any(self._relation(one) in ("cop", "nsubj", "csubj") for one in self._below[word])

    def _governing(self, clause: int) -> int:
        """The verb that a clause without a subject of its own is the complement of, or itself."""
        for _ in self._a.head:
            if self._relation(clause) != "xcomp":
                break
            clause = self.clause(self._a.head[clause])
        return clause

    def _chain(self, word: int) -> list[int]:
        """The clauses over a word, from the nearest up."""
        found: list[int] = []
        clause = self._governing(self.clause(word))
        while clause not in found:
            found.append(clause)
            clause = self._governing(self.clause(self._a.head[clause]))
        return found

    def context(self, candidates: list[int], pronoun: int) -> tuple[int, int] | None:
        """The heads of the context and the query clause, None where they are one."""
        query = self._chain(pronoun)[0]
        chains = [self._chain(word) for word in candidates]
        common = [clause for clause in chains[0] if all(clause in chain for chain in chains)]
        before = sorted(zip(candidates, chains, strict=True), key=lambda one: one[0] > pronoun)
        nearest = max(
            (one for one in before if (one[0] > pronoun) == (before[0][0] > pronoun)),
            key=lambda one: one[0],
        )
        for clause in (*common[:1], nearest[1][0], *(chain[0] for chain in chains)):
            if clause != query:
                return clause, query
        # "Ann asked Eve to help her" is one predicate, but the pronoun's part can be split off.
        inner = self.clause(pronoun)
        return (query, inner) if inner != query else None

    def predicate(self, head: int, without: int) -> Predicate:
        """The words of the predicate of a clause, less those of the clause `without`."""
        needed: set[int] = set()
        adverbs: set[int] = set()
        waiting = [head]
        while waiting:
            word = waiting.pop()
            needed.add(word)
            for below in self._below[word]:
                relation, label = self._relation(below), self._a.deprel[below]
                if below == without:
                    continue
                if relation in ("aux", "cop") or label == "compound:prt" or self._negates(below):
                    needed.add(below)
                elif relation == "advmod":
                    adverbs.add(below)
                elif relation == "xcomp":
                    waiting.append(below)
                    needed |= {one for one in self._below[below] if self._is_infinitive(one)}
        inner = {one for one in adverbs if min(needed) < one < max(needed)}
        spans = self._a.words
        return Predicate(
            tuple(dict.fromkeys(spans[word] for word in sorted(needed))),
            tuple(dict.fromkeys(spans[word] for word in sorted(needed | inner))),
        )

    def _negates(self, word: int) -> bool:
        if self._relation(word) == "neg":
            return True
        feats = self._a.feats[word] if self._a.feats else ""
        return self._relation(word) == "advmod" and (
            "Polarity=Neg" in feats or self._a.upos[word : word + 1] == ("PART",)
        )

    def _is_infinitive(self, word: int) -> bool:
        return self._relation(word) == "mark" and self._a.upos[word : word + 1] == ("PART",)

    def connective(self, query: int, context: int, near: int, pronoun: int) -> Span | None:
        """What joins the clauses."""
        first = min((one for one in self._below[query]), default=query)
        for clause in dict.fromkeys((query, near, context)):
            joins = [
                word
                for word in self._below[clause]
                if self._relation(word) in ("mark", "cc") and not self._is_infinitive(word)
            ]
            if joins:
                return self._a.words[min(joins)]
        opens = [
            word
            for word in self._below[query]
            if self._relation(word) == "advmod" and word <= first + 1 and word < pronoun
        ]
        return self._a.words[min(opens)] if opens else None


def _joined(text: str, spans: Iterable[Span]) -> str:
    """The pieces with a blank between those that do not touch."""
    out, last = "", None
    for start, end in spans:
        out += ("" if last in (None, start) else " ") + text[start:end]
        last = end
    return out
