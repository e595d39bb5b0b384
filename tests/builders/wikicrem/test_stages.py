"""From articles to examples, with a pipeline of rules that finds the names it is told."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import pytest
import spacy

from corefmill.builders.nlp import Analysis, Backend, Entity
from corefmill.builders.nlp.spacy_backend import SpacyPipeline
from corefmill.builders.persons.prefilter import RecurringNames
from corefmill.builders.persons.table import load
from corefmill.builders.run.stages import Context, Out
from corefmill.builders.wiki.article import Article, Redirect
from corefmill.builders.wiki.markup.records import Link
from corefmill.builders.wikicrem.options import FILTERS, WikicremOptions
from corefmill.builders.wikicrem.stages import read_recurring, setup, stages
from tests.builders.chain import through
from tests.builders.wikicrem.passages import article

NAMES = ["Ann", "Bob", "Cyd", "Émile", "Bob, Jr.", "Éé", "Ее"]


# Two sentences, so that no name is known by the beginning of a sentence alone.
MET = "At noon Ann met Bob in the old mill. "


CONTEXT = "It was known that Ann, Bob, Cyd and Émile were friends."


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    ruler = nlp.add_pipe("entity_ruler")
    patterns = [{"label": "PER", "pattern": name} for name in NAMES]
    ruler.add_patterns(patterns)  # type: ignore[attr-defined]
    path = tmp_path_factory.mktemp("pipeline") / "tiny"
    nlp.to_disk(path)
    return path


Mine = Callable[..., tuple[list[dict[str, Any]], Context]]


@pytest.fixture(scope="module")
def mine(folder: Path) -> Mine:
    """Examples of an article, or of several, and what was counted."""
    pipeline = SpacyPipeline(str(folder), "en")

    def run(
        *texts: str | Article | Redirect, mode: Any = "clean", without: tuple[str, ...] = ()
    ) -> tuple[list[dict[str, Any]], Context]:
        items = [text for text in texts if not isinstance(text, str)] or [
            article(*[text for text in texts if isinstance(text, str)], CONTEXT)
        ]
        context = Context(0, 0)
        steps = stages(WikicremOptions(mode=mode, nlp=str(folder), without=without), pipeline)
        return [dict(out.record) for out in through(steps, items, context)], context

    return run


def masked(example: dict[str, Any]) -> str:
    start, end = example["target"]
    text: str = example["text"]
    return f"{text[:start]}[{text[start:end]}]{text[end:]}"


def test_clean_mode_makes_one_record_of_all_candidates(mine: Mine) -> None:
    text = "It rained. At noon Ann met Bob and the miller Cyd there. Then Ann left the mill."
    (example,), context = mine(text, without=("enumerated",))
    assert masked(example) == (
        "At noon Ann met Bob and the miller Cyd there. Then [Ann] left the mill."
    )
    assert example["candidates"] == ["Ann", "Bob", "Cyd"]
    assert example["label"] == 0
    assert example["mentions"] == [[0, 8, 11], [1, 16, 19], [2, 35, 38]]
    assert example["sentences"] == [[0, 45], [46, 69]]
    source = {"title": "Mill", "page_id": 7, "paragraph": 0, "start": 11, "end": 80}
    assert example["source"] == source
    assert example["meta"]["rule"] == "b"
    assert example["meta"]["tokens"][:2] == [[0, 2], [3, 7]]
    assert context.rejects == {}
    assert context.counts["drafts"] == 1


def test_paper_mode_makes_a_record_of_each_wrong_candidate(mine: Mine) -> None:
    text = "At noon Ann met Bob and the miller Cyd there. Then Ann left the mill."
    examples, context = mine(text, mode="paper")
    assert [example["candidates"] for example in examples] == [["Ann", "Bob"], ["Ann", "Cyd"]]
    assert {example["label"] for example in examples} == {0}
    assert len({masked(example) for example in examples}) == 1
    assert [example["mentions"] for example in examples] == [
        [[0, 8, 11], [1, 16, 19]],
        [[0, 8, 11], [1, 35, 38]],
    ]
    assert context.rejects == {}


def test_paper_mode_filters_nothing(mine: Mine) -> None:
    assert len(mine("Ann, Bob, Ann.", mode="paper")[0]) == 1
    assert mine("Ann, Bob, Ann.")[0] == []


def test_a_group_is_rejected_once_under_its_first_fault(mine: Mine) -> None:
    """Either of the later two may be masked, and both stand in the quotation."""
    text = "At noon Ann met Bob and sang “Now Ann is here, old Ann is here” to the mill."
    examples, context = mine(text)
    assert examples == []
    assert context.counts["drafts"] == sum(context.rejects.values()) == 1
    assert context.rejects == {"quoted": 1}


def test_the_first_occurrence_that_passes_is_masked(mine: Mine) -> None:
    text = "At noon Ann met Bob and sang “Now Ann is here” before Ann left it alone."
    (example,), context = mine(text)
    assert masked(example).endswith("before [Ann] left it alone.")
    assert context.rejects == {}


def test_a_name_is_asked_for_once_in_a_sentence(mine: Mine) -> None:
    text = MET + "Then Ann saw Bob from the boat, and at night Ann left alone."
    examples, context = mine(text)
    # The last "Ann", by (a), is of the first one's group; "Bob" stands behind both.
    assert [(one["meta"]["rule"], one["text"][one["target"][1] :][:5]) for one in examples] == [
        ("b", " saw "),
        ("c", " from"),
    ]
    assert context.counts["drafts"] == 2
    paper, _ = mine(text, mode="paper")
    assert [example["meta"]["rule"] for example in paper] == ["a", "b"]


def test_where_the_first_of_a_group_is_stopped_the_next_is_asked(mine: Mine) -> None:
    examples, context = mine(MET + "“Ann is here,” sang Bob, and at night Ann left alone.")
    assert [one["text"][one["target"][1] :][:5] for one in examples] == [" left", ", and"]
    assert context.rejects == {}


def test_a_passage_is_as_short_as_may_be_and_three_sentences_at_most(mine: Mine) -> None:
    rained = "In town it rained for days. "
    for between, found in (("", 2), ("Ann saw it from a boat. ", 3), (rained, 0)):
        examples, _ = mine(MET + between + "Then Ann left the mill.")
        asked = [one for one in examples if one["text"].endswith("Ann left the mill.")]
        assert [len(one["sentences"]) for one in asked] == [found] * bool(found)


def test_a_faulty_wrong_candidate_goes_and_the_rest_stays(mine: Mine) -> None:
    text = "At noon Ann met Bob at the old Cyd Street mill. Then Ann left it alone."
    (example,), context = mine(text, without=("part_of_longer_name",))
    assert example["candidates"] == ["Ann", "Bob"]
    assert context.rejects == {}


def test_a_filter_named_in_without_is_not_asked(mine: Mine) -> None:
    text = MET + "Then a boat named Ann left the old mill for good."
    assert mine(text)[1].rejects == {"being_named": 1}
    assert len(mine(text, without=("being_named",))[0]) == 1


@pytest.mark.parametrize("mode", ["clean", "paper"])
def test_a_name_with_a_comma_is_not_expressible(mine: Mine, mode: Any) -> None:
    text = "At noon Ann met Bob, Jr. in the old mill, and then Ann left it alone."
    examples, context = mine(text, mode=mode, without=FILTERS if mode == "clean" else ())
    assert examples == []
    assert context.rejects == {"name_not_expressible": 1}


def test_paper_mode_leaves_out_names_that_ascii_cannot_tell_apart(mine: Mine) -> None:
    text = "At noon Éé met Ее and Bob in the old mill, and then Éé left it alone."
    examples, context = mine(text, mode="paper")
    assert (examples, context.rejects) == ([], {"name_not_expressible": 1})
    text = "At noon Bob met Ее and Ann in the old mill, and then Bob left it alone."
    assert [example["candidates"] for example in mine(text, mode="paper")[0]] == [["Bob", "Ann"]]


def test_a_window_that_is_too_long_is_counted_and_left(mine: Mine) -> None:
    text = "At noon Ann met Bob, " + "and it rained, " * 1_400 + "and Ann left it alone."
    examples, context = mine(text, mode="paper")
    assert (examples, context.rejects) == ([], {"window_too_long": 1})
    assert context.counts["characters_analysed"] == 0
    assert len(mine(text.replace("and it rained, " * 700, ""), mode="paper")[0]) == 1


def test_only_prose_is_read(mine: Mine) -> None:
    made = article(MET + "Then Ann left the mill.", CONTEXT)
    made.paragraphs[0].kind = "quote"
    examples, context = mine(made)
    assert (examples, context.counts["paragraphs"]) == ([], 1)


def test_offsets_count_from_the_passage_wherever_it_stands(mine: Mine) -> None:
    before = "It rained on that day. It was late that day. "
    examples = [mine(start + MET + "Then Ann left the mill.")[0][0] for start in ("", before)]
    ids = [example.pop("id") for example in examples]
    sources = [example.pop("source") for example in examples]
    assert [source["start"] for source in sources] == [0, len(before)]
    assert examples[0] == examples[1]
    assert ids == ["test-7-0-42", f"test-7-0-{42 + len(before)}"]


def test_links_of_candidates_are_kept_for_the_join(mine: Mine) -> None:
    text = MET + "Then Ann left the mill for good."
    links = [Link(text.index("Ann"), text.index("Ann") + 3, "Ann (ship)", None)]
    (example,), _ = mine(article(text, CONTEXT, links=links))
    assert example["meta"]["links"] == {"Ann": "Ann (ship)"}
    # Bob is linked elsewhere in the article; a link to a section of the article itself is none.
    other = article(CONTEXT, text, links=[Link(23, 26, "Bob Day", None), Link(18, 21, "", "Life")])
    (example,), _ = mine(other)
    assert example["meta"]["links"] == {"Bob": "Bob Day"}
    assert "links" not in mine(text)[0][0]["meta"]


def test_articles_do_not_share_their_use_of_names(mine: Mine) -> None:
    text = "Ann met Bob in the old mill. Ann left it for good."
    examples, context = mine(article(text, CONTEXT), article(text))
    assert [example["source"]["title"] for example in examples] == ["Mill"]
    assert context.rejects == {"never_within_sentence": 1}


def test_what_is_known_of_pages_goes_to_their_channel(folder: Path) -> None:
    def read(items: Iterator[Any], context: Context) -> Iterator[Any]:
        yield from items

    steps = setup(read, WikicremOptions(nlp=str(folder)))
    items = [
        article("It rained.", title="Ann", is_person=True),
        article("It rained.", title="Mill", is_person=False),
        article("It rained.", title="Fog", is_person=None),
        Redirect("The mill", "Mill"),
    ]
    context = Context(0, 0)
    assert through(steps, items, context) == []
    assert context.outs == [
        Out("pages", {"title": "Ann", "redirect": None, "person": True}),
        Out("pages", {"title": "Mill", "redirect": None, "person": False}),
        Out("pages", {"title": "The mill", "redirect": "Mill", "person": None}),
    ]


def test_rejects_are_kept_with_what_tells_why(mine: Mine, folder: Path) -> None:
    kept: list[Any] = []
    context = Context(0, 0, kept.append)
    options = WikicremOptions(nlp=str(folder))
    steps = stages(options, SpacyPipeline(str(folder), "en"))
    text = MET + "Then a boat named Ann left the old mill for good."
    assert through(steps, [article(text, CONTEXT)], context) == []
    assert kept == [
        {
            "reason": "being_named",
            "record": {
                "title": "Mill",
                "text": text,
                "answer": "Ann",
                "start": text.rindex("Ann"),
                "others": ["Bob"],
            },
        }
    ]


def test_the_tables_words_keep_sentences_whole(mine: Mine) -> None:
    """The prefilter and the cutting of sentences are given the table's honorifics."""
    assert "Prof." in load("en").titles
    text = MET + "Then the good Prof. Fay and his old dog saw that Ann left it."
    (example,), _ = mine(text)
    assert len(example["sentences"]) == 2
    assert masked(example).endswith("saw that [Ann] left it.")


ENGLISH = load("en")


VESK = "They went from Vesk to Orla {} times and saw Vesk again."


ANN = "At noon Ann met Bob {} times, and then Ann left."


class Names:
    """Calls Ann and Bob persons, or others, and notes each batch that it reads."""

    def __init__(self, persons: Sequence[str] = ("Ann", "Bob")) -> None:
        self.read: list[list[str]] = []
        self._persons = persons

    def names(self, texts: Iterable[str]) -> Iterator[Analysis]:
        self.read.append(list(texts))
        for text in self.read[-1]:
            found = [(text.find(name), name) for name in self._persons]
            persons = (Entity(at, at + len(name), "PERSON") for at, name in found if at >= 0)
            yield Analysis(text, (), ((0, len(text)),), tuple(persons))


def read(
    *articles: Iterable[str], names: Sequence[str] = ("Ann", "Bob"), **how: Any
) -> tuple[list[str], list[list[str]], Context]:
    """The passages that are read, the turns in which they were, and what was counted."""
    pipeline, context = Names(names), Context(0, 0)
    recurring = RecurringNames(ENGLISH.no_names, ENGLISH.titles, **how)
    found = read_recurring(
        recurring, cast(Backend, pipeline), iter([article(*one) for one in articles]), context
    )
    return [one.passage.text for one in found], pipeline.read, context


def test_what_is_no_person_is_read_a_few_times_only() -> None:
    places, persons = [VESK.format(n) for n in range(9)], [ANN.format(n) for n in range(9)]
    found, _, context = read([*places, *persons])
    assert found == [*places[:2], *persons]
    assert context.counts["characters_analysed"] == sum(map(len, found))


@pytest.mark.parametrize(("persons", "later"), [((), False), (("Ann Vesk",), True)])
def test_a_surname_is_read_on_whatever_it_is_called_alone(
    persons: Sequence[str], later: bool
) -> None:
    named = "At noon Bob met Ann Vesk in Orla, and then Ann Vesk left for Orla."
    places = [VESK.format(n) for n in range(9)]
    found = read([*places[:2], named, *places[2:]], names=persons)[0]
    assert (places[-1] in found) is later


def test_articles_learn_apart_and_are_read_in_their_order() -> None:
    places = [VESK.format(n) for n in range(4)]
    found, turns, _ = read([*places, ANN], places)
    assert found == [*places[:2], ANN, *places[:2]]
    assert turns == [[*places[:2], *places[:2]], [ANN]]


@pytest.mark.parametrize("last", ["Lately Marsh left.", "In May President Marsh left."])
def test_a_name_behind_an_honorific_or_at_the_head_of_a_sentence_is_the_name(last: str) -> None:
    text = f"In the mill Marsh met Bob that day. {last}"
    assert read([text])[0] == [text]


def test_of_part_of_a_run_nothing_is_repeated_where_sentences_are_cut() -> None:
    text = "In the mill Ann Marsh met Bob, and then Marsh Metal was sold."
    assert read([text])[0] == []
    assert read([text], cut=False)[0] == [text]


def test_a_piece_is_read_without_the_one_before_only_where_sentences_are_cut() -> None:
    before, text = "It rained in the valley. ", "In the mill Ann met Bob, and then Ann left."
    assert read([before + text])[0] == [text]
    assert read([before + text], cut=False)[0] == [before + text]
