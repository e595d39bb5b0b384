"""The baselines, by hand."""

from __future__ import annotations

from dataclasses import replace

from corefmill.coref_model.pairs.clustering import same_lemma, same_string
from corefmill.coref_model.pairs.sampling import groups
from tests.coref_model.pairs.made import mention


def test_one_lemma_in_one_topic_is_one_cluster() -> None:
    mentions = [
        mention("quakes", "a", topic="x", lemma="quake"),
        mention("Quake", "b", topic="x", lemma="Quake"),
        mention("tremor", "b", topic="x", lemma="tremor"),
        mention("quake", "a", topic="y", lemma="quake"),
    ]
    for by_topic, expected in ((True, [0, 0, 1, 2]), (False, [0, 0, 1, 0])):
        labels = same_lemma(mentions, groups(mentions, by_topic=by_topic))
        assert labels is not None and labels.tolist() == expected
    assert same_lemma([*mentions, mention("war", "c")], groups(mentions)) is None


def test_one_string_is_one_cluster_case_and_white_space_aside() -> None:
    gap = mention("put the fire out", "c")
    parted = replace(gap, parts=((gap.start, gap.start + 3), (gap.end - 3, gap.end)))
    mentions = [
        mention("The quake", "a"),
        mention("the\n quake", "b"),
        mention("quake", "b"),
        parted,
        mention("put out", "c"),
    ]
    assert same_string(mentions, groups(mentions)).tolist() == [0, 0, 1, 2, 2]
