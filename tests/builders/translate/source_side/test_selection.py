"""The datasets alpha to beta3."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corefmill.builders.run.stages import Context
from corefmill.builders.translate.projection import MarkDraft
from corefmill.builders.translate.source_side.parts import (
    ChainMention,
    DocumentPart,
    SourceTree,
    SourceUtterance,
)
from corefmill.builders.translate.source_side.selection import (
    LONGEST,
    SHORTEST,
    beta1,
    beta2,
    beta3,
    keep_innermost,
    to_part,
)
from corefmill.corpora.records import Document, Mention, Sentence, Token
from tests.builders.translate.conll import NEWS, TALK, read

WORDS = ["L'", "ami", "de", "le", "maire", "vient", ",", "dit", "-", "il", "."]
APART = (False, True, False, True, True, False, True, False, False, False, True)
"""Whether a blank follows; `du` holds the third word and the fourth."""


def draft(*places: tuple[int, int]) -> MarkDraft:
    tokens = tuple(Token(word, space_after=apart) for word, apart in zip(WORDS, APART, strict=True))
    clusters = tuple((Mention(0, *place),) for place in places)
    meta = {"corefud": {"sentences": {"0": {"multiword": {"3-4": "du"}}}}}
    document = Document("d", 0, "fr", (Sentence(tokens),), clusters, meta)
    part = to_part(document, "train", Context(0, 0), nested=True)
    return MarkDraft.of(part.utterances[0], rewording=False)


def test_blanks_and_words_in_one_are_as_written() -> None:
    made = draft((0, 5), (3, 5), (9, 10))
    text = made.utterance.text
    assert text == "L'ami du maire vient, dit-il."
    marked = [text[mark.start : mark.end] for mark in made.marks]
    assert marked == ["L'ami du maire", "maire", "il"]  # the article is in `du`, the preposition's


def words(part: DocumentPart) -> list[str]:
    return [" ".join(utterance.words(mention)) for utterance, mention in part.mentions()]


def one(pairs: str, *spans: tuple[int, int, int]) -> DocumentPart:
    """A part of one utterance of form_TAG pairs, whose words all hang on the last one."""
    forms, _, tags = zip(*(pair.rpartition("_") for pair in pairs.split()), strict=True)
    tree = SourceTree(tags, (len(tags) - 1,) * len(tags), ("",) * len(tags))
    mentions = tuple(ChainMention(c, start, end) for c, start, end in spans)
    utterance = SourceUtterance(0, forms, tags, mentions, tree=tree)
    return DocumentPart("train", "d", 0, (utterance,), "en")


def test_alpha_keeps_innermost_mentions_speakers_and_parts(tmp_path: Path) -> None:
    context = Context(0, 0)
    (news,) = read(NEWS, tmp_path)
    part = to_part(news, "train", context)
    assert words(part) == ["Lora Owens", "Albert Owens", "She", "us", "A day"]
    assert context.rejects == {"alpha.mentions.contains_another": 1}
    assert [u.speaker for u in part.utterances] == ["Wolf Blitzer", "Wolf Blitzer", None]


def test_alpha_takes_traces_out_and_keeps_the_parts_apart(tmp_path: Path) -> None:
    context = Context(0, 0)
    first, second = (to_part(document, "train", context) for document in read(TALK, tmp_path))
    assert " ".join(first.utterances[0].forms) == "`` Well %pw , he wants to see the dog /. ''"
    assert words(first) == ["he", "the dog", "John", "it", "his"]
    assert (first.part, second.part) == (0, 1)
    assert context.rejects == {"alpha.mentions.trace": 1, "alpha.mentions.contains_another": 2}
    assert context.counts["traces"] == 2


def test_alpha_refuses_what_has_no_words_or_gaps() -> None:
    context = Context(0, 0)
    sentence = Sentence(tuple(map(Token, ["a", "b", "c", "d"])))
    cluster = (Mention(0, 0, 3, parts=((2, 3),)), Mention(0, 1, 1, zero=True), Mention(0, 3, 4))
    part = to_part(Document("d", 0, "en", (sentence,), (cluster,)), "train", context)
    assert words(part) == ["d"]
    assert context.rejects == {"alpha.mentions.zero": 1, "alpha.mentions.discontinuous": 1}


@pytest.mark.parametrize(
    ("given_name", "kept"), [("-", None), ("Anna\tMaria\n", "Anna Maria"), (None, None), ("", None)]
)
def test_speakers_are_what_every_format_can_hold(given_name: str | None, kept: str | None) -> None:
    sentence = Sentence((Token("Yes"),), given_name)
    part = to_part(Document("d", 0, "en", (sentence,), ()), "train", Context(0, 0))
    assert part.utterances[0].speaker == kept


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(1, 6)), max_size=12))
def test_innermost_mentions_are_disjoint_and_nothing_is_lost_uncounted(
    spans: list[tuple[int, int]],
) -> None:
    dropped: list[ChainMention] = []
    mentions = [ChainMention(n, start, start + size) for n, (start, size) in enumerate(spans)]
    kept = keep_innermost(mentions, lambda _, mention: dropped.append(mention))
    assert all(a.end <= b.start for a, b in pairwise(kept))
    assert sorted([*kept, *dropped], key=lambda m: m.cluster) == mentions
    for lost in set(mentions) - set(kept):
        assert any(
            k.length <= lost.length and k.start < lost.end > lost.start < k.end for k in kept
        )


def test_beta1_wants_a_verb_and_a_fit_length(tmp_path: Path) -> None:
    context = Context(0, 0)
    (news,) = read(NEWS, tmp_path)
    part = beta1(to_part(news, "train", Context(0, 0)), SHORTEST, LONGEST, context)
    assert [u.index for u in part.utterances] == [0, 1]
    lost = {"beta1.utterances.no_verb": 1, "beta1.mentions.utterance_no_verb": 1}
    assert context.rejects == lost


@pytest.mark.parametrize(
    ("length", "reason"), [(3, "too_short"), (4, None), (25, None), (26, "too_long")]
)
def test_beta1_counts_tokens(length: int, reason: str | None) -> None:
    context = Context(0, 0)
    kept = beta1(one("go_VB " * length), SHORTEST, LONGEST, context)
    assert len(kept.utterances) == (reason is None)
    assert context.rejects == ({f"beta1.utterances.{reason}": 1} if reason else {})


@pytest.mark.parametrize(
    ("pairs", "reason"),
    [
        ("He_PRP", None), ("his_PRP$", None), ("This_DT", None), ("the_DT new_JJ cars_NNS", None),
        ("the_DT Taihang_NNP Mountain_NNP", None), ("1940_CD", "number"),
        ("I_PRP", "first_or_second_person"), ("your_PRP$", "first_or_second_person"),
        ("one_PRP", "other_pronoun"), ("sold_VBD", "verb"), ("there_RB", "other_root"),
        ("what_WP they_PRP said_VBD", "verb"),
    ],
)  # fmt: skip
def test_beta2_judges_by_the_root(pairs: str, reason: str | None) -> None:
    context = Context(0, 0)
    part = beta2(one(pairs, (0, 0, len(pairs.split()))), context)
    assert len(words(part)) == (reason is None)
    assert context.rejects == ({f"beta2.mentions.{reason}": 1} if reason else {})


def test_the_root_is_the_word_nearest_to_the_top() -> None:
    # the president of the firm laughed
    parsed = SourceTree(("DT", "NN", "IN", "DT", "NN", "VBD"), (1, 5, 4, 4, 1, 5), ("",) * 6)
    assert parsed.root(0, 5) == 1
    assert parsed.root(3, 6) == 5
    # two words that hang on others outside: the one that is nearer to the root
    assert parsed.root(0, 4) == 1
    assert SourceTree(("NN", "NN"), (1, 0), ("", "")).root(0, 2) == 0  # no tree, but no end either
    part = beta2(one("the_DT president_NN", (0, 0, 2)), Context(0, 0))
    assert [mention.root for _, mention in part.mentions()] == [1]


def test_beta3_wants_two_mentions_and_a_noun() -> None:
    context = Context(0, 0)
    spans = [(1, 0, 1), (1, 1, 2), (2, 2, 3), (2, 3, 4), (3, 4, 5)]
    rooted = beta2(one("Ann_NNP she_PRP it_PRP it_PRP dog_NN", *spans), Context(0, 0))
    assert words(beta3(rooted, context)) == ["Ann", "she"]
    assert context.rejects == {
        "beta3.clusters.no_noun": 1,
        "beta3.clusters.one_mention": 1,
        "beta3.mentions.cluster_of_no_noun": 2,
        "beta3.mentions.cluster_of_one_mention": 1,
    }
