"""The surface test in seven languages: places of problems, and each reason against one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from corefmill.builders.knowref import table
from corefmill.builders.knowref.sentences import (
    ProblemSpans,
    RawSentence,
    find_pair,
    find_sentences,
    find_spans,
)
from corefmill.builders.persons import table as names_table
from corefmill.builders.persons.gender import Genders
from corefmill.builders.run.stages import Context
from tests.builders.rows import rows
from tests.builders.wikicrem.passages import article

EN, NAMES = table.load("en"), names_table.load("en")
GENDERS = Genders("en", NAMES)


def found_in(text: str, context: Context, *, known: bool = False) -> list[RawSentence]:
    return list(find_sentences(EN, GENDERS, iter((article(text),)), context, known=known))


@pytest.mark.parametrize(
    ("lang", "text", "connective", "pronoun"),
    rows("""
        en  Ann had told Bea the news, but she slept on.  but  she
        en  Ann had told Bea the news, even though she was asleep.  even though  she
        en  Ann saw Bea when it rained, but nobody had told her.  but  her
        en  Although Ann had told Bea the news, she slept on.  ,  she
        # Right before the pronoun, more words count.
        en  Ann had told Bea the news and she slept on.  and  she
        en  Ann had told Bea the news; she slept on.  ;  she
        en  Ann had told Bea the news as soon as she woke.  as soon as  she
        # A pronoun of the other gender and a reflexive may stand before.
        en  He had told Ann and Bea the news, but it was she.  but  she
        en  Ann herself had told Bea the news, but she slept on.  but  she
        en  Ann had told Bea about herself, when it was early, but she left.  but  she
        # An apostrophe is no quotation mark.
        en  Ann and Bea walked for a good part o' the day, but she slept.  but  she
        en  Ann's aunt hadn't told James' friend Bea, but she slept.  but  she
        en  Émile saw Łukasz on the train because he was early.  because  he
        de  Anna hatte Maria alles erzählt, aber sie schlief weiter.  aber  sie
        de  Obwohl Anna mit Maria geredet hatte, schlief sie weiter.  ,  sie
        de  Karl sah den Mann, den Peter kannte, ohne daß er grüßte.  ohne daß  er
        fr  Anne attendait Marie à la gare parce qu'elle avait peur.  parce qu'  elle
        fr  Anne attendait Marie à la gare parce qu’elle avait peur.  parce qu’  elle
        fr  Lorsqu'Anne vit Marie à la porte, elle sourit longtemps.  ,  elle
        fr  Anne écrivit à Marie dans la ville où elle vivait.  où  elle
        fr  Paul demandait à Jean devant tous s'il avait faim.  s'  il
        # Nobody's "il" is passed over.
        fr  Paul dit à Jean qu'il ne lui fallait rien, mais il resta.  mais  il
        fr  Paul vit Jean là où il n'y avait rien, puisqu'il partait.  puisqu'  il
        pt  O João falou com o Pedro na rua porque ele tinha medo.  porque  ele
        pt  Maria viu Ana na rua quando o irmão della chegou.  quando  della
        pl  Anna spotkała na ulicy Marię, ale ona nic nie wiedziała.  ale  ona
        pl  Jan spotkał Piotra na moście, chociaż mu się spieszyło.  chociaż  mu
        pl  Jan czekał na Piotra, mimo że nikt go nie znał.  mimo że  go
        pl  Gdy Anna zobaczyła Marię w oknie, nikt jej nie poznał.  ,  jej
    """),
)
def test_a_place_is_the_last_connective_before_the_first_pronoun(
    lang: str, text: str, connective: str, pronoun: str
) -> None:
    found = find_spans(text, table.load(lang), names_table.load(lang))
    assert isinstance(found, ProblemSpans), found
    assert (text[slice(*found.connective)], text[slice(*found.pronoun)]) == (connective, pronoun)


@pytest.mark.parametrize(
    ("lang", "text", "reason"),
    rows("""
        en  Ann had told Bea the news, but it rained.  no_pronoun
        en  Ann met Bea but she slept.  length
        en  Ann had told Bea LONG, but she slept on.  length
        en  Ann had told Bea the news and then she slept on.  no_connective
        # A comma does only behind a clause that its opener begins, and as the only one.
        en  Although it rained, Ann had told Bea, who slept, her news.  no_connective
        en  She had told Ann and Bea the news, but it rained.  pronoun_before
        en  Ann had told Bea the news because of herself and Cyd.  no_pronoun
        en  Ann had told me the whole news, but she slept on.  too_few_names
        en  Mr. Ann had told the whole news, but she slept on.  too_few_names
        en  Ann had told Bea the news [1], but she slept on.  not_prose
        en  Ann had told Bea the news, but she slept on  not_prose
        en  Ann had told “Bea” the news, but she slept on.  quoted
        fr  Paul rencontra Jean sur le pont, car il pleuvait encore.  no_pronoun
        fr  Paul resta avec Jean, parce qu'il n'y avait personne.  no_pronoun
        fr  Anne a vu Marie sur le pont, mais peut-être dort-elle.  no_pronoun
        # of either
        fr  Anne a vu Marie sur le pont, et Paul lui parla.  no_pronoun
        # the
        es  Juan vio a Pedro en la calle cuando el sol salía.  no_pronoun
        # of either
        es  Ana vio a Lucía en la calle cuando su padre salía.  no_pronoun
        # left unsaid
        pt  O João viu o Pedro na rua quando saiu o sol.  no_pronoun
        pl  Anna spotkała Marię na moście, ale nic nie wiedziała.  no_pronoun
        nl  Hij zag Jan en Pieter in de trein, maar sliep.  pronoun_before
    """),
)
def test_each_reason(lang: str, text: str, reason: str) -> None:
    text = text.replace("LONG", "the news " * 20)
    assert find_spans(text, table.load(lang), names_table.load(lang)) == reason


@pytest.mark.parametrize(
    ("lang", "first", "second", "pronoun"),
    [
        ("de", "Anna traf Maria.", "Doch ihr Bruder kam nicht.", "ihr"),
        ("fr", "Anne vit Marie.", "Lorsqu'elle parla, on rit.", "elle"),
        ("pl", "Jan spotkał Piotra.", "Jego brat nie przyszedł wcale.", "Jego"),
        ("nl", "Jan zag Pieter.", "Ook zijn broer was er.", "zijn"),
        ("nl", "Jan zag Pieter er zijn.", "Ook zijn broer was er.", "zijn"),  # to be, perhaps
    ],
)
def test_at_the_head_of_the_next_sentence(lang: str, first: str, second: str, pronoun: str) -> None:
    found = find_pair(first, second, 0, table.load(lang), names_table.load(lang))
    assert isinstance(found, ProblemSpans), found
    assert second[slice(*found.pronoun)] == pronoun


PAIR = "Ann had told Bea the news. {} slept on."


@pytest.mark.parametrize("head", ["She", "But she", "At last, she", "Her sister"])
def test_a_pronoun_may_head_the_sentence_that_follows(head: str) -> None:
    text = PAIR.format(head)
    (found,) = found_in(text, Context(0, 0))
    assert (found.text, text[found.second :]) == (text, f"{head} slept on.")
    assert text[slice(*found.spans.connective)] == "."
    assert text[slice(*found.spans.pronoun)].lower() in ("she", "her")
    assert found.spans.pattern == "next_sentence"
    assert found.sentences == ((0, 26), (27, len(text)))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (PAIR.format("Then Cyd said that she"), "no_pronoun"),
        (PAIR.format("It"), "no_pronoun"),
        ("Her aunt had told Ann and Bea the news. She slept on.", "no_connective"),
        ("Ann had told him all the news. She slept on.", "no_connective"),
        ("Ann had told Bea the news. “She slept on.”", "no_pronoun"),
        ("Ann had told Bea the news. She “slept” on.", "quoted"),
        (f"Ann had told Bea the {'old ' * 60} news. She slept on.", "no_pronoun"),
    ],
)
def test_other_pairs_are_rejected_for_what_the_first_sentence_lacks(text: str, reason: str) -> None:
    context = Context(0, 0)
    assert found_in(text, context) == []
    assert reason in context.rejects


@pytest.mark.parametrize(
    ("text", "known", "reason"),
    [
        ("Ann had told Emma the news, but she slept on.", True, None),
        ("Ann had told Peter the news, but she slept on.", False, "too_few_of_gender"),
        ("Mrs. Hill had told Mr. Mill the news, but she slept on.", False, "too_few_of_gender"),
        ("Mrs. Hill and Mr. Mill had told Ann the news, but she slept on.", True, None),
        ("Ann had told Zzarb the news, but she slept on.", True, "too_few_of_gender"),
        ("Ann had told Zzarb the news, but she slept on.", False, None),
    ],
)
def test_two_names_may_be_of_the_pronouns_gender(
    text: str, reason: str | None, *, known: bool
) -> None:
    context = Context(0, 0)
    found = found_in(text, context, known=known)
    assert list(context.rejects) == ([reason] if reason else [])
    assert len(found) == (reason is None)


def test_what_reaches_a_pronoun_and_a_connective_is_kept_with_its_text() -> None:
    kept: list[Mapping[str, Any]] = []
    text = "It rained. Ann had told “Bea” the news, but she slept on."
    assert found_in(text, Context(0, 0, kept.append)) == []
    first, second = kept
    assert first == {"reason": "no_pronoun", "record": None}
    assert second["reason"] == "quoted"
    assert second["record"]["text"].startswith("Ann had told")


def test_a_clitic_counts_before_a_verb_alone() -> None:
    italian, names = table.load("it"), names_table.load("it")
    text = "Anna parlò con Lucia della sera quando le disse la notizia."
    found = find_spans(text, italian, names)
    assert isinstance(found, ProblemSpans) and found.pronoun == (39, 41)
    text = "Anna parlò con Lucia quando le sere eran lunghe."
    assert find_spans(text, italian, names) == "no_pronoun"


def test_a_sentence_within_a_quotation_is_left_out() -> None:
    text = "“It rained there. Ann had told Bea the news, but she slept on. It was late.”"
    context = Context(0, 0)
    assert found_in(text, context) == []
    assert context.rejects["quoted"] == 1


def test_a_title_ends_no_sentence() -> None:
    text = "At noon Mrs. Ann Mill had told Dr. Bea Hill the news, but she slept on."
    assert [found.text for found in found_in(text, Context(0, 0))] == [text]
