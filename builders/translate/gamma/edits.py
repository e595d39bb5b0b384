"""A text that is being changed, with spans in it that move along."""

from __future__ import annotations

from collections.abc import Sequence

from corefmill.builders.translate.gamma.language import TargetLanguage
from corefmill.corpora.records import Span


class TextEdits:
    """A text in a language, spans that no edit may touch but their owner's, words that move along.

    `spans` and `words` are half-open offsets in code points of the text as it stands; a word that
    an edit has changed in part is None. Behind the spans of the owners come those of `nobody`.
    `around` are spans that edits may change: they hold what has come in their place.
    """

    def __init__(
        self,
        language: TargetLanguage,
        text: str,
        spans: Sequence[Span],
        words: Sequence[Span] = (),
        nobody: Sequence[Span] = (),
        around: Sequence[Span] = (),
    ) -> None:
        self.language = language
        self.text = text
        self.spans = [*spans, *nobody]
        self.words: list[Span | None] = list(words)
        self.around = list(around)

    def free(self, start: int, end: int, owner: int) -> bool:
        """Whether [start, end) touches no span but the owner's; an insertion needs no room."""
        return all(
            end <= left or right <= start
            for number, (left, right) in enumerate(self.spans)
            if number != owner
        )

    def put(
        self, owner: int, start: int, end: int, own: str, *, lead: str = "", rest: str = ""
    ) -> None:
        """As `replace`, with `lead`, `own` and `rest`, of which `own` is the owner's new span."""
        self.replace(start, end, f"{lead}{own}{rest}", owner, lead=len(lead))
        self.spans[owner] = (start + len(lead), start + len(lead) + len(own))

    def replace(self, start: int, end: int, new: str, owner: int, *, lead: int = 0) -> None:
        """Puts `new` instead of [start, end); the owner sets its own span afterwards.

        What begins at `end` moves; an insertion at the border of two spans goes between them. A
        span around a mention that begins within [start, end) begins behind the `lead` of `new`.
        Raises `ValueError` where another's span is touched.
        """
        if not self.free(start, end, owner):
            raise ValueError(f"[{start}, {end}) belongs to another mention")
        shift = len(new) - (end - start)
        self.text = self.text[:start] + new + self.text[end:]
        for number, (left, right) in enumerate(self.spans):
            if number != owner and left >= end:
                self.spans[number] = (left + shift, right + shift)
        for number, (left, right) in enumerate(self.around):
            if right <= start:
                continue
            if left >= end:
                left += shift
            # What has come in the place of text within the span is within it.
            elif left > start or (left == start == self.spans[owner][0]):
                left = start + lead
            right = right + shift if right >= end else start + len(new)
            self.around[number] = (left, max(left, right))
        for number, word in enumerate(self.words):
            if word is None or word[1] <= start:
                continue
            if word[0] >= end:
                self.words[number] = (word[0] + shift, word[1] + shift)
            elif shift:
                self.words[number] = None
