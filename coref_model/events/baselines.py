"""The clusters that need no model: mentions of one head lemma, mentions of one string."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from corefmill.coref_model.events.clustering import Labels
from corefmill.coref_model.events.features import wording
from corefmill.coref_model.events.sampling import Topics
from corefmill.corpora.records import EventMention


def same_lemma(mentions: Sequence[EventMention], found: Topics) -> Labels | None:
    """[m], clusters of the mentions whose head has one lemma, case aside, within each topic.

    None where a mention has no lemma: the baseline cannot be computed then. (Average link on a
    similarity of 1 for the same lemma and 0 for others, at any threshold, gives these clusters.)
    """
    lemmas = [mention.lemma for mention in mentions]
    if any(lemma is None for lemma in lemmas):
        return None
    return _alike([str(lemma).casefold() for lemma in lemmas], found)


def same_string(mentions: Sequence[EventMention], found: Topics) -> Labels:
    """[m], clusters of the mentions that read alike, case and kind of white space aside, within
    each topic; of a discontinuous mention its parts are read."""
    return _alike([wording(mention) for mention in mentions], found)


def _alike(forms: Sequence[str], found: Topics) -> Labels:
    labels = np.empty(len(forms), dtype=np.int64)
    seen: dict[tuple[int, str], int] = {}
    for topic, members in enumerate(found.members):
        for index in members.tolist():
            labels[index] = seen.setdefault((topic, forms[index]), len(seen))
    return labels
