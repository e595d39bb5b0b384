"""How the tokens of a sentence are written, where its corpus says so: blanks, and words in one."""

from __future__ import annotations

from typing import Any

from corefmill.corpora.records import Sentence
from corefmill.rules import documents


def written(sentence: Sentence, extra: dict[str, Any]) -> tuple[str, ...] | None:
    """What of the text each token is, with the blank before it.

    `extra` is the sentence's entry in `meta["corefud"]`. What is written for several words (du: de
    + le) is the first one's, so that a mention of the others begins behind it. None where nothing
    but blanks between all tokens is known, which is what files say that know nothing.
    """
    tokens = sentence.tokens
    together = documents.written(extra)
    if not together and all(token.space_after for token in tokens[:-1]):
        return None
    forms = [token.form for token in tokens]
    for one in together:
        forms[one.start : one.end] = [one.form, *[""] * (one.end - one.start - 1)]
    made: list[str] = []
    blank = False
    for token, form in zip(tokens, forms, strict=True):
        made.append(" " * blank + form if form else "")
        blank = token.space_after if form else blank or token.space_after
    # The blank behind a token of several words is the last one's to say.
    return tuple(made)
