"""From articles to mentions in clean mode."""

from __future__ import annotations

from pathlib import Path

from corefmill.builders.wec.options import Sections
from corefmill.builders.wec.verdicts import mentions
from corefmill.corpora.records import Source
from tests.builders.wec.small import options, prose, ran


def test_a_mention(tmp_path: Path) -> None:
    text = prose("One.", "In 2002 the [[Great Vesk flood|great flood]]s drowned the cats of Vesk.")
    with ran(tmp_path, {"Ann Marsh": text}) as result:
        (mention,) = mentions(result)
        assert result.rejects == {}
        assert result.counts["mentions"] == result.counts["paragraphs_analysed"] == 1
    assert mention.text[mention.start : mention.end] == "great floods"
    assert mention.id == f"enwiki-101-1-{mention.start}"
    assert (mention.cluster, mention.cluster_title) == ("11", "2002 Vesk floods")
    assert (mention.event_type, mention.infobox) == ("Flood", "infoboxflood")
    assert mention.source == Source("Ann Marsh", 101, 1)
    assert mention.head is not None
    assert mention.text[slice(*mention.head)] == "floods"
    assert (mention.lemma, mention.pos, mention.ner) == ("flood", "NOUN", None)
    assert mention.meta["lemmas"] == ["great", "floods"]
    assert [mention.start, mention.start + 5] in mention.meta["tokens"]


def test_every_reject_is_counted_and_kept(tmp_path: Path) -> None:
    pages = {
        "A": prose(
            "In 2002 it was [[2002 Vesk floods#Damage|the floods]].",
            "They left [[2002 Vesk floods|Vesk]] for good.",
            "It was in [[2002 Vesk floods|spring 2002]].",
            "They met [[Bellena Song Festival 1968|Ugo Tarri]] there.",
            "They met [[Bellena Song Festival 1968|Grace Ball]] in Bellena in 1968.",
            "After [[1931 Orla flood|the flood]] they left.",
            "They saw [[2002 Vesk floods|it]] all in Vesk.",
            "In 2002 came [[2002 Vesk floods|the report]] to Vesk.",
            "In Vesk they told [[2002 Vesk floods|" + "a very long tale " * 3 + "]] of 2002.",
            "In Vesk in 2002 it was [[2002 Vesk floods|flooding]] and colspan=2.",
        )
        + "\n\nA short one on [[2002 Vesk floods]].",
    }
    with ran(tmp_path, pages, persons=["Grace Ball"]) as result:
        assert list(mentions(result)) == []
        rejects = {r["record"]["mention"]: r["reason"] for r in result.records("rejects")}
    assert rejects == {
        "the floods": "section_link",
        "Vesk": "on_place",
        "spring 2002": "on_date",
        "Ugo Tarri": "on_participant",
        "Grace Ball": "named_entity",
        "the flood": "unidentified",
        "it": "no_trigger",
        "the report": "sub_event",
        "a very long tale a very long tale a very long tale": "mention_length",
        "flooding": "markup_left",
        "2002 Vesk floods": "short_paragraph",
    }


def test_a_filter_that_is_left_out_stops_nothing(tmp_path: Path) -> None:
    pages = {"A": prose("They left [[2002 Vesk floods|Vesk]] for good.")}
    how = options(without=("on_place", "on_participant", "no_event_word"))
    with ran(tmp_path, pages, how) as result:
        assert [mention.lemma for mention in mentions(result)] == ["vesk"]


def test_links_to_sections_by_policy(tmp_path: Path) -> None:
    text = prose(
        "In Vesk they fled [[2002 Vesk floods#Damage|the 2002 Vesk floods]].",
        "In Vesk in 2002 came [[2002 Vesk floods#Damage|the high water flood]].",
    )
    found = {}
    for number, policy in enumerate(Sections):
        folder = tmp_path / str(number)
        folder.mkdir()
        with ran(folder, {"A": text}, options(sections=policy)) as result:
            found[policy] = sum(1 for _ in mentions(result))
    assert found == {"drop": 0, "named": 1, "keep": 2}


def test_a_paragraph_is_analysed_once_for_all_its_mentions(tmp_path: Path) -> None:
    text = prose(
        "In [[2002 Vesk floods|the Vesk flood]] and [[1931 Orla flood|the flood of Orla]]."
    )
    with ran(tmp_path, {"A": text, "B": text}) as result:
        assert result.counts["paragraphs_analysed"] == 1
        assert [m.cluster for m in mentions(result)] == ["11", "12", "11", "12"]


def test_a_paragraph_beyond_all_measure(tmp_path: Path) -> None:
    text = prose("In [[2002 Vesk floods|the Vesk flood]] " + "they drowned " * 2000)
    with ran(tmp_path, {"A": text}) as result:
        assert result.rejects == {"paragraph_too_long": 1}
