"""The chain over real documents: nothing vanishes uncounted, no cluster is merged or split."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from corefmill.builders.corpus.options import Mode
from corefmill.builders.run.stages import Context, run_stages
from corefmill.builders.translate.contents import group_by_stage
from corefmill.builders.translate.engines.protocol import Translator, TranslatorRequest
from corefmill.builders.translate.engines.tables import SampleTable
from corefmill.builders.translate.gamma import gamma
from corefmill.builders.translate.gamma.gamma import split_into_words
from corefmill.builders.translate.gamma.realise import Realised
from corefmill.builders.translate.options import MentionsBy, TranslateRequest
from corefmill.builders.translate.source_side.parts import SourceUtterance
from corefmill.builders.translate.source_side.source import find_files, sample
from corefmill.builders.translate.stages import DATASETS
from corefmill.corpora.files import jsonl
from corefmill.corpora.files.errors import UsageError
from corefmill.corpora.records import Document
from corefmill.rules import rule
from tests.builders.translate.conll import NEWS, TALK, read
from tests.builders.translate.double import WordForWord
from tests.builders.translate.running import check_clusters, setup
from tests.rules.trees import surface


@dataclass(frozen=True)
class Ran:
    """Documents by dataset, the counts, and every utterance in Italian as text with its words."""

    made: dict[str, list[Document]]
    context: Context
    words: list[tuple[Realised, rule.Utterance]]


PIPELINES: dict[str, Any] = {"to_lang": "it", "nlp": "en_mini", "nlp_to": "it_mini"}


def ran(
    documents: list[Document],
    monkeypatch: pytest.MonkeyPatch,
    translator: Translator | None = None,
    **options: Any,
) -> Ran:
    seen: list[tuple[Realised, rule.Utterance]] = []

    def watched(source: SourceUtterance, italian: Realised, *rest: Any, **named: Any) -> Any:
        found = split_into_words(source, italian, *rest, **named)
        if found is not None:
            seen.append((italian, found.words))
        return found

    monkeypatch.setattr(gamma, "split_into_words", watched)
    chosen = TranslateRequest(**{**PIPELINES, **options})
    stages = setup(lambda: translator or WordForWord(), chosen)
    context = Context(0, 0)
    payload = tuple(("train", document) for document in documents)
    made: dict[str, list[Document]] = {name: [] for name in DATASETS}
    last = list(run_stages(stages, payload, context))
    for name, record in (*context.outs, *last):
        made[name].append(jsonl.loads(record["line"], Document))
    return Ran(made, context, seen)


def check(ran: Ran) -> None:
    """What holds of any output."""
    check_counts(ran)
    beta3 = {(d.doc_id, d.part): d for d in ran.made["beta3"]}
    for before, after in zip(ran.made["gamma"], ran.made["delta"], strict=True):
        assert list(map(len, before.clusters)) == list(map(len, after.clusters))
        check_clusters(beta3[after.doc_id, after.part], after)
    for italian, words in ran.words:
        check_words(italian, words)


def check_counts(ran: Ran) -> None:
    rejects = group_by_stage(ran.context.rejects)
    sizes = {
        name: Counter(
            utterances=sum(len(d.sentences) for d in own),
            mentions=sum(len(cluster) for d in own for cluster in d.clusters),
            clusters=sum(len(d.clusters) for d in own),
        )
        for name, own in ran.made.items()
    }
    for name, own in sizes.items():
        for what in ("mentions", "utterances"):
            assert own[what] == ran.context.counts[f"{name}.train.{what}"]
    for before, after in pairwise(DATASETS):
        for what in ("utterances", "mentions"):
            gone = rejects.get(f"{after} {what}", Counter()).total()
            assert sizes[before][what] - gone == sizes[after][what], (after, what)
    gone = rejects.get("beta3 clusters", Counter()).total()
    assert sizes["beta2"]["clusters"] - gone == sizes["beta3"]["clusters"]


def check_words(italian: Realised, words: rule.Utterance) -> None:
    """A mention has the words of its characters, and no other, but for letters in a contraction."""
    assert rule.text(words) == " ".join(italian.text.split())
    if rule.text(words) != italian.text:
        return  # blanks were joined, so characters count otherwise
    on_paper = surface(words)
    places = {placed.key: placed for placed in italian.mentions}
    for mention in words.mentions:
        placed = places[mention.key]
        start, end = on_paper.characters(mention.start, mention.end)
        assert start <= placed.start < placed.end <= end
        inner, outer = italian.text[placed.start : placed.end], italian.text[start:end]
        assert outer == inner or " " not in outer.replace(inner, "")


@pytest.mark.parametrize("mode", ["clean", "paper"])
def test_ontonotes_shapes(mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = ran(read(NEWS + TALK, tmp_path), monkeypatch, mode=Mode(mode))
    check(found)
    assert [(d.doc_id, d.part) for d in found.made["delta"]] == [
        ("nw/own/00/own_0001", 0),
        ("bc/own/00/own_0002", 0),
        ("bc/own/00/own_0002", 1),
    ]
    news, *talk = found.made["delta"]
    # Clean mode has the utterance of three words without a verb, and the cluster of one in it.
    whole = mode == "clean"
    assert [s.speaker for s in news.sentences] == ["Wolf Blitzer", "Wolf Blitzer", *[None] * whole]
    kept = {"sentences": [0, 1, 2], "clusters": [0, 1, 2, 3, 4]}
    assert news.meta["source"] == (kept if whole else {"sentences": [0, 1], "clusters": [0]})
    text = news.meta["english"][0]["text"]
    assert text == "Lora Owens is the stepmother of Albert Owens."
    assert "%pw" not in talk[0].meta["english"][0]["text"]


def test_what_has_no_tags_is_tagged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bare = "".join(
        "\t".join([*cells[:4], "_", *cells[5:]]) if len(cells := line.split("\t")) > 5 else line
        for line in NEWS.splitlines(keepends=True)
    )
    found = ran(read(bare, tmp_path), monkeypatch)
    check(found)
    assert found.made["alpha"][0].sentences[0].tokens[0].xpos is None
    assert found.made["beta1"][0].sentences[0].tokens[2].xpos == "VBZ"


def test_utterances_whose_placeholders_are_lost_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Lossy(WordForWord):
        def translate(self, texts: Any) -> list[str]:
            return ["Piove sempre ." for _ in texts]

    found = ran(read(NEWS, tmp_path), monkeypatch, Lossy())
    check(found)
    assert found.context.rejects["gamma.utterances.placeholder_missing"] == 3
    assert found.context.rejects["gamma.mentions.utterance_lost"] == 6
    assert found.context.rejects["gamma.parts.no_utterances"] == 1


def test_options_refuse_what_does_not_fit() -> None:
    for options, message in (
        ({"mode": Mode.paper, "without": ("persons",)}, "--mode paper has no 'persons'"),
        ({"without": ("persons-x",)}, "no rule or refinement 'persons-x'"),
        ({"to_lang": "fr", "method": MentionsBy.placeholders}, "no placeholders from 'en' to 'fr'"),
    ):
        with pytest.raises(UsageError, match=message):
            TranslateRequest(**{**PIPELINES, **options})
    assert TranslateRequest(without=("persons",), **PIPELINES).helps("one-left")


@pytest.mark.parametrize(
    ("mode", "without", "expected"),
    [
        ("clean", (), (1, sys.maxsize)),
        ("clean", ("any-utterance",), (4, 25)),
        ("paper", (), (4, 25)),
    ],
)
def test_how_long_an_utterance_may_be(
    mode: Any, without: tuple[str, ...], expected: tuple[int, int]
) -> None:
    options = TranslateRequest(mode=Mode(mode), without=without, **PIPELINES)
    assert (options.least, options.most) == expected


@pytest.mark.thorough
def test_the_translations_that_ship_lose_no_mention(monkeypatch: pytest.MonkeyPatch) -> None:
    table = SampleTable(TranslatorRequest())
    files = find_files(sample(), "en")
    given = [document for file in files for _, document in file.form.read(file.path, "en")]
    found = ran(given, monkeypatch, table)
    check(found)
    assert not found.context.rejects
    said = [d.meta["ontocorefit"]["utterances"].values() for d in found.made["delta"]]
    texts = [utterance["modified_text"] for own in said for utterance in own]
    assert "L'ho data alla mia vicina." in texts
    assert "Ha venduto la sua barca." in texts
