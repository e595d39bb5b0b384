"""The corpus on disk: every form of it, the card, the manifest."""

from __future__ import annotations

from collections import Counter
from functools import partial
from pathlib import Path

import pytest

from corefmill.builders.corpus.builder import Assembly
from corefmill.builders.wec.choose import choose
from corefmill.builders.wec.facts.templates import EventPage
from corefmill.builders.wec.forms import DATA_FILES, paragraphs
from corefmill.corpora.files import jsonl
from corefmill.corpora.formats import conll2012, wec_json
from corefmill.corpora.records import EventMention
from tests.builders.wec.small import EVENTS, known, options, prose, ran
from tests.builders.wec.small import corpus as stated
from tests.builders.wec.test_choose import PAGES

FLOODS = "[[2002 Vesk floods|the Vesk flood]] and [[1931 Orla flood|the flood of Orla]]"


@pytest.fixture(scope="module", params=["clean", "paper"])
def corpus(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
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
            corpus=stated(out, how.mode),
            schema="event-mention/1",
            choose=partial(
                choose, options={"en": how}, indexes={"en": folder / "events.sqlite"}, dev=1, test=1
            ),
            data_files=DATA_FILES,
        )
        finish(result)
    return out


@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_the_forms_hold_the_same_mentions(corpus: Path, split: str) -> None:
    native = list(jsonl.read(corpus / f"{split}.jsonl", EventMention))
    wec = [mention for _, mention in wec_json.RELEASED.read(corpus / f"{split}.json", "en")]
    (key,) = (document for _, document in conll2012.read_key(corpus / f"{split}.key.conll", "en"))
    conll = [document for _, document in conll2012.read(corpus / f"{split}.conll", "en")]
    assert native
    assert [m.cluster for m in wec] == [m.cluster for m in native]
    assert [_solid(m) for m in wec] == [_solid(m) for m in native]
    assert sum(map(len, key.clusters)) == len(native)
    assert len(key.clusters) == len({m.cluster for m in native})
    numbers: Counter[str] = Counter()
    for document in conll:
        ids = document.meta["conll"]["ids"]
        numbers.update({str(n): len(own) for n, own in zip(ids, document.clusters, strict=True)})
    assert numbers == Counter(m.cluster for m in native)


def _solid(mention: EventMention) -> str:
    return "".join(mention.text[mention.start : mention.end].split())


def test_a_paragraph_is_a_document_whose_tokens_its_mentions_cut(corpus: Path) -> None:
    every = [
        mention
        for split in ("train", "dev", "test")
        for mention in jsonl.read(corpus / f"{split}.jsonl", EventMention)
        if mention.source.title == "Last"
    ]
    if len(every) < 4:
        return  # the other splits took the article
    (document,) = paragraphs(every)
    assert sum(map(len, document.clusters)) == 4
