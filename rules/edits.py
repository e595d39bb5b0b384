"""Collect changes of an utterance by its old offsets, and apply them together."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from corefmill.corpora.records import Span, Token
from corefmill.rules.rule import Change, KeyedMention, Utterance, Written
from corefmill.rules.tree import Tree

Join = Callable[[Sequence[Token]], str | None]
"""Maps words in sequence to the one token they are written as; None for separate tokens."""


@dataclass(frozen=True, slots=True)
class _Inserted:
    """A word to insert, and the numbers of the mentions that will begin with it."""

    token: Token
    within: frozenset[int]


@dataclass(slots=True)
class UtteranceEdits:
    """Collected changes to an utterance, applied together; offsets are those of `utterance`.

    `join` writes the words of a changed token (di + il: del), and is also called for an inserted
    word with the word on either side.
    """

    utterance: Utterance
    join: Join
    changes: list[Change] = field(default_factory=list)
    _replaced: dict[int, Token] = field(default_factory=dict)
    _deleted: dict[int, int] = field(default_factory=dict)
    _inserted: dict[int, _Inserted] = field(default_factory=dict)
    _together: set[int] = field(default_factory=set)

    def token(self, at: int) -> Token:
        """Return the word at an offset, as changed so far."""
        return self._replaced.get(at, self.utterance.tokens[at])

    def replace(self, rule: str, at: int, token: Token) -> None:
        """Replace a word."""
        self.changes.append(Change(rule, at, at + 1, self.token(at).form, token.form))
        self._replaced[at] = token

    def adjust(self, at: int, token: Token) -> None:
        """Replace a word as a consequence of another change, unrecorded."""
        self._replaced[at] = token

    def keep(self, rule: str, at: int) -> None:
        """Record a word kept by a refinement."""
        form = self.token(at).form
        self.changes.append(Change(rule, at, at + 1, form, form))

    def can_delete(self, at: int, heir: int) -> bool:
        """Tell whether deleting a word leaves no two mentions on the same words."""
        gone = {**self._deleted, at: heir}
        if at in gone.values() or heir in self._deleted:
            return False
        spans = {(mention.start, mention.end) for mention in self.utterance.mentions}
        left = {_shrink(span, gone) for span in spans}
        return None not in left and len(left) == len(spans)

    def delete(self, rule: str, at: int, heir: int) -> None:
        """Delete a word; a mention of that word alone moves to `heir`, others shrink.

        The word's dependents then depend on its head. Callers check `can_delete` first.
        """
        assert self.can_delete(at, heir)
        self.changes.append(Change(rule, at, at + 1, self.token(at).form, ""))
        self._deleted[at] = heir

    def insert(self, rule: str, before: int, token: Token, within: frozenset[int]) -> None:
        """Insert a word before another; mentions numbered in `within` then begin with it.

        The head of `token` counts the words of `utterance` from 1. Mentions with the words on both
        sides include the new word, too.
        """
        self.changes.append(Change(rule, before, before, "", token.form))
        self._inserted[before] = _Inserted(token, within)

    def write_together(self, rule: str, at: int, form: str) -> None:
        """Write a word and the next one as one token of this form."""
        pair = self.utterance.tokens[at : at + 2]
        self.changes.append(Change(rule, at, at + 2, " ".join(one.form for one in pair), form))
        self._together.add(at)

    def apply(self) -> tuple[Utterance, tuple[Change, ...]]:
        """Make the changed utterance and the list of changes."""
        if not (self._replaced or self._deleted or self._inserted or self._together):
            return self.utterance, tuple(self.changes)
        # First, the words in their new order, with the way from old offsets to new ones. A deleted
        # word's blank goes to the word before it, unless its written token continues.
        size = len(self.utterance.tokens)
        order: list[int | None] = []  # the old offset of each new word, None for an inserted one
        tokens: list[Token] = []
        moved: list[int] = []  # the new offset of each old word
        for at in range(size):
            if at in self._inserted:
                order.append(None)
                tokens.append(self._inserted[at].token)
            moved.append(len(tokens))  # of a deleted word this is the next one's
            if at not in self._deleted:
                order.append(at)
                tokens.append(self.token(at))
            elif tokens and not self._goes_on(at):
                own = self.token(at).space_after
                before = tokens[-1].space_after or (at > 0 and self._goes_on(at - 1))
                tokens[-1] = replace(tokens[-1], space_after=own and before)
        moved.append(len(tokens))
        # Second, all indexes of words: heads, mentions and written tokens.
        tokens = [replace(token, head=self._head(token.head, moved)) for token in tokens]
        mentions = tuple(
            self._mention(number, mention, moved)
            for number, mention in enumerate(self.utterance.mentions)
        )
        written = self._join_written(tokens, order, moved)
        return Utterance(tuple(tokens), mentions, written), tuple(self.changes)

    def _goes_on(self, at: int) -> bool:
        """Tell whether the word's written token continues after it."""
        return any(token.start <= at < token.end - 1 for token in self.utterance.written)

    def _head(self, head: int | None, moved: list[int]) -> int | None:
        """Compute the new head of a word, passing over deleted heads."""
        seen = 0
        while head and head - 1 in self._deleted:
            head = self.utterance.tokens[head - 1].head
            seen += 1
            if seen > len(moved):  # a circle of deleted words
                return 0
        return moved[head - 1] + 1 if head else head

    def _mention(self, number: int, mention: KeyedMention, moved: list[int]) -> KeyedMention:
        """Compute the new span of a mention after deletions and insertions."""
        left = _shrink((mention.start, mention.end), self._deleted)
        assert left is not None  # see `can_delete`
        first, last = moved[left[0]], moved[left[1]]
        if left[0] in self._inserted and number in self._inserted[left[0]].within:
            first -= 1
        return KeyedMention(mention.key, first, last + 1)

    def _join_written(
        self, tokens: list[Token], order: list[int | None], moved: list[int]
    ) -> tuple[Written, ...]:
        """Make the written tokens: untouched ones as before, others joined anew."""
        found = self._keep_written(tokens, moved)
        covered = {at for token in found for at in range(token.start, token.end)}
        # An inserted word is joined to the word before or after it if the language does so, unless
        # one is part of a written token already. Words of `write_together` are joined, too.
        for at in range(1, len(tokens)):
            last = order[at - 1]
            near = order[at] is None or last is None or last in self._together
            if near and at not in covered and at - 1 not in covered and tokens[at - 1].space_after:
                form = self.join(tokens[at - 1 : at + 1])
                if form is not None:
                    tokens[at - 1] = replace(tokens[at - 1], space_after=False)
                    found.append(Written(at - 1, at + 1, form))
                    covered.update((at - 1, at))
        return tuple(sorted(found, key=lambda token: token.start))

    def _keep_written(self, tokens: list[Token], moved: list[int]) -> list[Written]:
        """Rebuild the written tokens that remain after deletions, insertions and changes.

        The first word takes the capital of its token. A token with only one word left is dropped.
        """
        found: list[Written] = []
        for old in self.utterance.written:
            kept = [at for at in range(old.start, old.end) if at not in self._deleted]
            inner = any(at in self._inserted for at in range(old.start + 1, old.end))
            if not kept:
                continue
            start, end = moved[kept[0]], moved[kept[-1]] + 1
            if old.form[:1].isupper():
                tokens[start] = capital(tokens[start])
            if len(kept) < 2:
                continue
            # The form stays, unless one of the words has changed: then the language joins the words
            # again, or writes them separately.
            form: str | None = old.form
            if kept[0] in self._replaced and self._replaced[kept[0]].form[:1].isupper():
                form = old.form[:1].upper() + old.form[1:]
            others = any(
                at in self._deleted
                or self.token(at).form.casefold() != self.utterance.tokens[at].form.casefold()
                for at in range(old.start, old.end)
            )
            if inner or others:
                form = self.join(tokens[start:end])
            if form is None:
                for at in range(start, end - 1):
                    tokens[at] = replace(
                        tokens[at], space_after=not tokens[at].form.endswith(("'", "’"))
                    )
                continue
            found.append(Written(start, end, form))
        return found


def _shrink(span: Span, deleted: Mapping[int, int]) -> Span | None:
    """Find the first and last word of a mention that remain after deletions."""
    start, end = span
    if end == start + 1:
        heir = deleted.get(start, start)
        return heir, heir
    kept = [at for at in range(start, end) if at not in deleted]
    return (kept[0], kept[-1]) if kept else None


def capital(token: Token) -> Token:
    """Capitalize a word."""
    return replace(token, form=token.form[:1].upper() + token.form[1:])


class WordRule:
    """Base of rules that look at one word after the other, by `visit`.

    Every call of `visit` sees the tree of the input; its `edits` are applied at the end. `join` is
    the language's, see `corefmill.rules.edits.Join`.
    """

    name: ClassVar[str]
    refinements: ClassVar[tuple[str, ...]] = ()
    """Refinements of the rule in clean mode; `without` names each as `RULE/REFINEMENT`."""

    def __init__(self, join: Join) -> None:
        self._join = join

    def apply(self, utterance: Utterance) -> tuple[Utterance, tuple[Change, ...]]:
        """Apply the rule to each word of an utterance, from the first to the last."""
        tree = Tree(utterance.tokens)
        edits = UtteranceEdits(utterance, self._join)
        for at in range(len(utterance.tokens)):
            self.visit(edits, tree, at)
        return edits.apply()

    @abstractmethod
    def visit(self, edits: UtteranceEdits, tree: Tree, at: int) -> None:
        """Change the word at an offset, record a refinement's reason, or do nothing."""
