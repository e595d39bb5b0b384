"""The rule for documents: mentions of one string are one cluster."""

from __future__ import annotations

from dataclasses import replace

import pytest

pytest.importorskip("torch")

from corefmill.coref_model.evaluation.documents import join_strings
from corefmill.corpora.records import Mention
from tests.corefmill import trained


def test_mentions_of_one_string_are_one_cluster_case_aside() -> None:
    """She, the new baker | Ann, him -> Ann | She | the new baker | him, with two more "she"."""
    (document,) = trained.documents(1)
    again = replace(document.sentences[1], tokens=document.sentences[1].tokens)
    more = replace(
        document,
        sentences=(*document.sentences, again),
        clusters=(
            *document.clusters,
            (Mention(2, 0, 1), Mention(2, 0, 0, zero=True), Mention(2, 1, 1, zero=True)),
        ),
    )
    (made,) = join_strings([more])
    sizes = sorted(len(cluster) for cluster in made.clusters)
    assert sizes == [1, 1, 1, 1, 1, 2]
    assert (Mention(1, 0, 1), Mention(2, 0, 1)) in made.clusters
