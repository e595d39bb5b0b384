"""What Italian nouns show by their form, whatever an analysis says."""

from __future__ import annotations

from corefmill.corpora.records import Token
from corefmill.rules import noun_ends
from corefmill.rules.nominal import Nouns
from corefmill.rules.tree import low

by_end = noun_ends.by_end("it")


def is_invariable(token: Token) -> bool:
    """Whether singular and plural are alike: città, virtù. Its number an analysis can but guess."""
    return token.upos == "NOUN" and low(token).endswith(("à", "è", "é", "ì", "ò", "ù"))


NOUNS = Nouns(by_end, is_invariable)
