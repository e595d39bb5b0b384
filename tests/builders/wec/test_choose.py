"""What is chosen of a run's mentions: repeats, the quota, splits, and what an empty run says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from corefmill.builders.corpus.builder import Assembly
from corefmill.builders.nlp import Analysis
from corefmill.builders.wec.choose import MentionContents, choose
from corefmill.builders.wec.facts.templates import EventPage
from corefmill.builders.wec.forms import DATA_FILES, numbering, paragraphs
from corefmill.builders.wec.options import WecOptions
from corefmill.corpora.files import jsonl
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.formats import conll2012, wec_json
from corefmill.corpora.records import EventMention
from tests.builders.wec import small
from tests.builders.wec.small import EVENTS, Plain, corpus, known, options, prose, ran


@contextmanager
def chosen(
    folder: Path,
    pages: dict[str, str],
    how: WecOptions | None = None,
    *,
    dev: float = 0,
    test: float = 0,
    limit: int | None = None,
) -> Iterator[MentionContents]:
    how = how or options()
    with (
        ran(folder, pages, how, limit=limit) as result,
        choose(
            corpus(folder / "out"),
            result,
            options={"en": how},
            indexes={"en": folder / "events.sqlite"},
            dev=dev,
            test=test,
        ) as contents,
    ):
        yield contents


def flood(words: str, year: int = 2002) -> str:
    return f"In {year} they wrote {year * 7} letters on [[2002 Vesk floods|{words}]] in Vesk."


def kept(assembled: MentionContents, split: str = "train") -> list[str]:
    return [m.text[m.start : m.end] for m in assembled.split(split)]


def test_four_of_the_same_string_stay_and_case_and_article_do_not_matter(tmp_path: Path) -> None:
    words = ["the flood", "Flood", "flood", "The Flood", "flood", "the floods", "flood"]
    pages = {f"P{n}": prose(flood(w, 1990 + n)) for n, w in enumerate(words)}
    with chosen(tmp_path, pages) as assembled:
        assert kept(assembled) == ["the flood", "Flood", "flood", "The Flood", "the floods"]
        assert assembled.verdicts.count_rejects() == {"same_string": 2}
        assert sum(1 for _ in assembled.uncontrolled()) == 7
        assert [r["reason"] for r in assembled.read_rejects()] == ["same_string"] * 2


def test_the_quota_counts_what_stays_alone(tmp_path: Path) -> None:
    """The repeated paragraph takes none of the four places."""
    pages = {f"P{n}": prose(flood("flood", 1990 + n // 2)) for n in range(8)}
    with chosen(tmp_path, pages) as assembled:
        assert len(kept(assembled)) == 4
        assert assembled.verdicts.count_rejects() == {"repeated_paragraph": 4}


class Wavering(Plain):
    """A pipeline that gives every word another lemma in every text."""

    def full(self, texts: Iterable[str]) -> Iterator[Analysis]:
        for analysis in super().full(texts):
            lemmas = tuple(
                f"{lemma} {len(analysis.text) + int(analysis.text[3:7])}"
                for lemma in analysis.lemma
            )
            yield replace(analysis, lemma=lemmas)


def test_equal_words_are_the_same_string_whatever_their_lemmas(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(WecOptions, "by_lemma", True)
    monkeypatch.setattr(small, "Plain", Wavering)
    pages = {f"P{n}": prose(flood("the floods", 1990 + n)) for n in range(3)}
    with chosen(tmp_path, pages, options(quota=2)) as assembled:
        assert len(kept(assembled)) == 2


class Merging(Wavering):
    """And from 1992 on the same lemma for all words."""

    def full(self, texts: Iterable[str]) -> Iterator[Analysis]:
        for analysis in super().full(texts):
            late = int(analysis.text[3:7]) >= 1992
            yield replace(analysis, lemma=("same",) * len(analysis.lemma)) if late else analysis


def test_words_or_lemmas_beyond_the_quota_are_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The third "floods" is one too many by its words, the last "flood" by its lemma."""
    monkeypatch.setattr(WecOptions, "by_lemma", True)
    monkeypatch.setattr(small, "Plain", Merging)
    words = ["floods", "floods", "floods", "flood", "flood"]
    pages = {f"P{n}": prose(flood(word, 1990 + n)) for n, word in enumerate(words)}
    with chosen(tmp_path, pages, options(quota=2)) as assembled:
        assert kept(assembled) == ["floods", "floods", "flood"]


PAGES = {
    "Vesk": prose(flood("flood", 1990)),
    "Orla": prose("They fled [[1931 Orla flood|the 1931 flood]] in Orla."),
    "Tarri": prose("He won [[Bellena Song Festival 1968|the 1968 festival]] in Bellena."),
    "All": prose(
        flood("great flood", 1991),
        "They fled [[1931 Orla flood|the flood]] in Orla.",
        "He won [[Bellena Song Festival 1968|the festival]] in 1968.",
    ),
}


def test_splits_share_no_cluster_and_no_article(tmp_path: Path) -> None:
    with chosen(tmp_path, PAGES, dev=1, test=1) as assembled:
        splits = {name: list(assembled.split(name)) for name in ("train", "dev", "test")}
        rejects = assembled.verdicts.count_rejects()
        assert assembled.warnings == []
    assert Counter({name: len(own) for name, own in splits.items()}) == {
        "train": 1, "dev": 1, "test": 2,
    }  # fmt: skip
    for of in (lambda m: m.cluster, lambda m: m.source.title):
        sets = [{of(mention) for mention in own} for own in splits.values()]
        assert not sets[0] & sets[1] and not sets[0] & sets[2] and not sets[1] & sets[2]
    assert rejects == {"article_in_dev_or_test": 1, "article_in_test": 1}


def test_too_few_clusters_for_splits_and_rejects_by_stage(tmp_path: Path) -> None:
    pages = {"A": prose(flood("Vesk"), flood("flood")), "B": prose(flood("flood"))}
    with chosen(tmp_path, pages, dev=0.1, test=0.1) as assembled:
        assert assembled.warnings == ["too few clusters: nothing is in dev and test"]
        stages = {"link": {"on_place": 1}, "corpus": {"repeated_paragraph": 1}}
        assert assembled.rejects == {"input": {}, **stages}


def test_nothing_at_all_is_an_error_that_says_why(tmp_path: Path) -> None:
    with (
        pytest.raises(
            DataError, match=r"no mention was found of \d events, in \d pages; .* on_place 1"
        ),
        chosen(tmp_path, {"A": prose(flood("Vesk"))}),
    ):
        pass


# The corpus on disk: every form of it has the same mentions.


FLOODS = "[[2002 Vesk floods|the Vesk flood]] and [[1931 Orla flood|the flood of Orla]]"


@pytest.fixture(scope="module", params=["clean", "paper"])
def written(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus of four pages, and of a paragraph with two mentions in one token ("flood/flood")."""
    folder = tmp_path_factory.mktemp("corpus")
    how = options(mode=request.param)
    joined = "[[2002 Vesk floods|flood]]/[[1931 Orla flood|flood]]"
    extra = prose(f"They drowned in {FLOODS} and in {joined}.")
    pages = {**PAGES, "Last": extra, " ": "A page without a title."}
    if request.param == "paper":
        pages = {title: "{{Infobox x}}\n" + text for title, text in pages.items()}
    out = folder / "out"
    awards = [EventPage(f"{n}th Oscars", n, "Awards", "infoboxaward", {}) for n in range(4, 8)]
    with ran(folder, pages, how) as result:
        known(folder, [*EVENTS, *awards])
        finish = Assembly(
            corpus=corpus(out, how.mode),
            schema="event-mention/1",
            choose=partial(
                choose, options={"en": how}, indexes={"en": folder / "events.sqlite"}, dev=1, test=1
            ),
            data_files=DATA_FILES,
        )
        finish(result)
    return out


@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_the_forms_hold_the_same_mentions(written: Path, split: str) -> None:
    def solid(mention: EventMention) -> str:
        return "".join(mention.text[mention.start : mention.end].split())

    native = list(jsonl.read(written / f"{split}.jsonl", EventMention))
    wec = [mention for _, mention in wec_json.RELEASED.read(written / f"{split}.json", "en")]
    (key,) = (document for _, document in conll2012.read_key(written / f"{split}.key.conll", "en"))
    conll = [document for _, document in conll2012.read(written / f"{split}.conll", "en")]
    assert native
    assert [m.cluster for m in wec] == [m.cluster for m in native]
    assert [solid(m) for m in wec] == [solid(m) for m in native]
    assert sum(map(len, key.clusters)) == len(native)
    assert len(key.clusters) == len({m.cluster for m in native})
    numbers: Counter[str] = Counter()
    for document in conll:
        ids = document.meta["conll"]["ids"]
        numbers.update({str(n): len(own) for n, own in zip(ids, document.clusters, strict=True)})
    assert numbers == Counter(m.cluster for m in native)


def test_a_paragraph_is_a_document_whose_tokens_its_mentions_cut(written: Path) -> None:
    every = [
        mention
        for split in ("train", "dev", "test")
        for mention in jsonl.read(written / f"{split}.jsonl", EventMention)
        if mention.source.title == "Last"
    ]
    if len(every) < 4:
        return  # the other splits took the article
    (document,) = paragraphs(every)
    assert sum(map(len, document.clusters)) == 4


def test_each_name_of_a_cluster_has_a_number_of_its_own() -> None:
    number = numbering()
    names = ["7", "Fire", "1", "01", "Flood", "9" * 5000, "Fire", "7"]
    assert [number(name) for name in names] == [7, 1, 2, 3, 4, 5, 1, 7]
