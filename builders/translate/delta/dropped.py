"""Subjects that the rules dropped, as the empty nodes that CorefUD has for zero mentions.

A record has the mention on the verb, as the paper has it. Beside that, `meta["corefud"]` keeps an
empty node that stands where the pronoun stood and names the verb, by which
`corpora/formats/corefud.py` writes the mention at the node instead, and reads it back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from corefmill.corpora.records import Token
from corefmill.rules.languages import LANGUAGES
from corefmill.rules.rule import Change, Utterance
from corefmill.rules.tables import table
from corefmill.rules.tree import is_relation, low


@dataclass(frozen=True, slots=True)
class DroppedSubject:
    """A pronoun that was taken out, and how many words stand between its place and its verb.

    They are less than none where it stood behind the verb.
    """

    pronoun: Token
    distance: int


def dropped(
    before: Utterance, after: Utterance, changes: tuple[Change, ...]
) -> dict[str, DroppedSubject]:
    """The pronouns that the changes took out, by the keys of the mentions of no more than them."""
    gone = {change.start for change in changes if not change.after}
    verbs = {mention.key: mention.start for mention in after.mentions}
    return {
        mention.key: DroppedSubject(
            before.tokens[mention.start],
            verbs[mention.key] - (mention.start - sum(at < mention.start for at in gone)),
        )
        for mention in before.mentions
        if mention.start in gone and mention.end == mention.start + 1
    }


def nodes(
    utterance: Utterance, subjects: Mapping[str, DroppedSubject], lang: str
) -> dict[str, Any]:
    """The empty nodes and enhanced dependencies of a sentence, as `meta["corefud"]` has them.

    The dependencies are the tree's own. Where one sentence of a treebank has an empty node, UD asks
    for such of all of them; so only languages whose subjects are never dropped have none.
    """
    known = _known(lang)
    if not known:
        return {}
    empty: dict[str, str] = {}
    places: dict[int, int] = {}
    for mention in sorted(utterance.mentions, key=lambda mention: mention.start):
        subject = subjects.get(mention.key)
        if subject is None or mention.end > mention.start + 1:
            continue
        verb = mention.start
        place = min(max(verb - subject.distance, 0), len(utterance.tokens))
        places[place] = places.get(place, 0) + 1
        lemma, feats = known[low(subject.pronoun)]
        misc = f"Entity|OnVerb={verb + 1}"
        columns = ("_", lemma, "PRON", "_", feats, "_", "_", _edge(utterance, verb, subject), misc)
        empty[f"{place}.{places[place]}"] = "\t".join(columns)
    deps = "\t".join("=" for _ in utterance.tokens)
    return {"empty": empty, "deps": deps} if empty else {"deps": deps}


def _edge(utterance: Utterance, verb: int, subject: DroppedSubject) -> str:
    """The clause's head, which an auxiliary or copula is not, and the relation."""
    token = utterance.tokens[verb]
    head = token.head if token.head and is_relation(token, "aux", "cop") else verb + 1
    relation = subject.pronoun.deprel if is_relation(subject.pronoun, "nsubj") else None
    return f"{head}:{relation or 'nsubj'}"


def _known(lang: str) -> Mapping[str, tuple[str, str]]:
    """Lemma and features of the subject pronouns of a language that drops them."""
    return table(lang, "pronouns").get("dropped", {}) if lang in LANGUAGES else {}
