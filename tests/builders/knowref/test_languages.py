"""Pronouns and connectives of six further languages: hard cases, parsed by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corefmill.builders.knowref import table
from corefmill.builders.knowref.build import problems
from corefmill.builders.knowref.filters import no_clause, not_the_pronoun
from corefmill.builders.knowref.problem import Problem
from corefmill.builders.knowref.sentences import ProblemSpans, find_pair, find_spans, sentences
from corefmill.builders.nlp import Analysis
from corefmill.builders.persons import table as names_table
from corefmill.builders.persons.gender import Genders
from corefmill.builders.run.stages import Context
from tests.builders.knowref.problems import problem_in, tree
from tests.builders.wikicrem.passages import article, marked


@pytest.mark.parametrize(
    ("lang", "text", "connective", "pronoun"),
    [
        ("de", "Anna hatte Maria alles erzählt, aber sie schlief weiter.", "aber", "sie"),
        ("de", "Obwohl Anna mit Maria geredet hatte, schlief sie weiter.", ",", "sie"),
        ("de", "Karl sah den Mann, den Peter kannte, ohne daß er grüßte.", "ohne daß", "er"),
        ("fr", "Anne attendait Marie à la gare parce qu'elle avait peur.", "parce qu'", "elle"),
        ("fr", "Anne attendait Marie à la gare parce qu’elle avait peur.", "parce qu’", "elle"),
        ("fr", "Lorsqu'Anne vit Marie à la porte, elle sourit longtemps.", ",", "elle"),
        ("fr", "Anne écrivit à Marie dans la ville où elle vivait.", "où", "elle"),
        ("fr", "Paul demandait à Jean devant tous s'il avait faim.", "s'", "il"),
        # Nobody's "il" is passed over.
        ("fr", "Paul dit à Jean qu'il ne lui fallait rien, mais il resta.", "mais", "il"),
        ("fr", "Paul vit Jean là où il n'y avait rien, puisqu'il partait.", "puisqu'", "il"),
        ("pt", "O João falou com o Pedro na rua porque ele tinha medo.", "porque", "ele"),
        ("pt", "Maria viu Ana na rua quando o irmão della chegou.", "quando", "della"),
        ("pl", "Anna spotkała na ulicy Marię, ale ona nic nie wiedziała.", "ale", "ona"),
        ("pl", "Jan spotkał Piotra na moście, chociaż mu się spieszyło.", "chociaż", "mu"),
        ("pl", "Jan czekał na Piotra, mimo że nikt go nie znał.", "mimo że", "go"),
        ("pl", "Gdy Anna zobaczyła Marię w oknie, nikt jej nie poznał.", ",", "jej"),
    ],
)
def test_connective_and_pronoun(lang: str, text: str, connective: str, pronoun: str) -> None:
    found = find_spans(text, table.load(lang), names_table.load(lang))
    assert isinstance(found, ProblemSpans), found
    assert (text[slice(*found.connective)], text[slice(*found.pronoun)]) == (connective, pronoun)


@pytest.mark.parametrize(
    ("lang", "text", "reason"),
    [
        ("fr", "Paul rencontra Jean sur le pont, car il pleuvait encore.", "no_pronoun"),
        ("fr", "Paul resta avec Jean, parce qu'il n'y avait personne.", "no_pronoun"),
        ("fr", "Anne a vu Marie sur le pont, mais peut-être dort-elle.", "no_pronoun"),
        ("fr", "Anne a vu Marie sur le pont, et Paul lui parla.", "no_pronoun"),  # of either
        ("es", "Juan vio a Pedro en la calle cuando el sol salía.", "no_pronoun"),  # the
        ("es", "Ana vio a Lucía en la calle cuando su padre salía.", "no_pronoun"),  # of either
        ("pt", "O João viu o Pedro na rua quando saiu o sol.", "no_pronoun"),  # left unsaid
        ("pl", "Anna spotkała Marię na moście, ale nic nie wiedziała.", "no_pronoun"),
        ("nl", "Hij zag Jan en Pieter in de trein, maar sliep.", "pronoun_before"),
    ],
)
def test_what_is_no_place(lang: str, text: str, reason: str) -> None:
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


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("Jadwiga dała Halinie książkę na moście, chociaż ona spała.", True),
        ("Jadwidze było żal Haliny na moście, chociaż ona spała.", True),
        ("Jadwiga dała Wojciechowi książkę na moście, chociaż ona spała.", False),
    ],
)
def test_names_in_any_case_have_a_gender(text: str, *, fits: bool) -> None:
    context = Context(0, 0)
    genders = Genders("pl", names_table.load("pl"))
    found = list(sentences(table.load("pl"), genders, iter((article(text),)), context))
    assert bool(found) is fits
    assert list(context.rejects) == ([] if fits else ["too_few_of_gender"])


SCHLIEF = "schlief VERB root - Number=Sing|VerbForm=Fin"
SINGULAR = "sie PRON nsubj schlief Case=Nom"
AN_SIE = "[Anna] traf [Maria] am Abend, weil sie schlief."


@pytest.mark.parametrize(
    ("lang", "line", "words", "other"),
    [
        ("de", AN_SIE, f"{SINGULAR}; {SCHLIEF}", False),
        ("de", AN_SIE, f"{SINGULAR}; schlief VERB root - Number=Plur|VerbForm=Fin", True),
        # The verb is believed before the pronoun; without either it is "they".
        ("de", AN_SIE, f"{SINGULAR}|Number=Plur; {SCHLIEF}", False),
        ("de", AN_SIE, SINGULAR, True),
        ("de", AN_SIE, f"{SINGULAR}|Number=Sing", False),
        ("de", AN_SIE, "sie PRON nsubj schlief; schlief ADJ root -; am AUX cop schlief", True),
        (
            "de",
            "[Anna] traf [Maria] am Abend, weil sie krank war.",
            "sie PRON nsubj krank; krank ADJ root -; war AUX cop krank Number=Sing|VerbForm=Fin",
            False,
        ),
        ("de", "[Anna] traf [Maria] oft, weil Sie rief.", "Sie PRON obj Sie Number=Sing", True),
        ("de", "[Anna] traf [Maria] oft, weil Karl ihr half.", "ihr PRON obj half Case=Dat", False),
        ("de", "[Anna] traf [Maria] oft, weil ihr es wolltet.", "ihr PRON nsubj es Person=2", True),
        # Her, or their.
        (
            "de",
            "[Anna] traf [Maria] oft, weil ihr Haus brannte.",
            "ihr DET det:poss Haus Number=Sing|Poss=Yes",
            True,
        ),
        (
            "de",
            "[Karl] traf [Peter] oft, weil sein Haus brannte.",
            "sein DET det:poss Haus Number=Sing|Poss=Yes",
            False,
        ),
        ("de", "[Karl] traf [Peter] oft, weil es so sein sollte.", "sein AUX cop so", True),
        ("nl", "[Jan] zag [Piet] in [Hoorn], waar de boten zijn.", "zijn VERB acl boten", True),
        (
            "nl",
            "[Jan] zag [Piet] in Hoorn, maar zijn boot zonk.",
            "zijn PRON nmod:poss boot Poss=Yes",
            False,
        ),
        ("nl", "[Anna] zag [Eva] toen, omdat haar nat werd.", "haar NOUN nsubj werd", True),
        (
            "nl",
            "[Anna] zag [Eva] in de tuin, terwijl ze sliepen.",
            "ze PRON nsubj sliepen; sliepen VERB advcl zag Number=Plur|VerbForm=Fin",
            True,
        ),
        (
            "nl",
            "[Anna] zag [Eva] in de tuin, terwijl zij sliep.",
            "zij PRON nsubj sliep; sliep VERB advcl zag Number=Sing|VerbForm=Fin",
            False,
        ),
        ("nl", "[Anna] zag [Eva] in de tuin, omdat iedereen ze zocht.", "ze PRON obj zocht", True),
        (
            "fr",
            "[Paul] vit [Jean] sur le pont, quand il gela.",
            "il PRON expl:subj gela Number=Sing",
            True,
        ),
        ("fr", "[Paul] vit [Jean] là, quand il sortit.", "il PRON nsubj sortit", False),
        ("pl", "[Jan] czekał na [Piotra], bo nim przyszło lato, był.", "nim SCONJ mark lato", True),
        ("pl", "[Jan] znał [Piotra] dobrze, bo był z nim brat.", "nim PRON obl był", False),
        (
            "pl",
            "[Jan] znał [Piotra] dobrze, bo przeciw nim mówiono.",
            "nim PRON obl mówiono Number=Plur",
            True,
        ),
    ],
)  # fmt: skip
def test_a_pronoun_that_is_another_word(lang: str, line: str, words: str, *, other: bool) -> None:
    assert not_the_pronoun(problem_in(lang, line, words)) is other


def chain(lang: str, line: str, words: str) -> list[Problem]:
    """The problem of the line as the stage makes it."""
    made = problem_in(lang, line, words)
    pair = (made.sentence, tree(marked(line), words))
    genders = Genders(lang, names_table.load(lang))
    return list(problems(made.table, genders, iter((pair,)), Context(0, 0)))


def test_a_word_that_is_no_pronoun_gives_way_to_the_next() -> None:
    line = "[Anna] half [Maria] oft, wenn es sein musste, weil sie krank war."
    words = (
        "sein AUX cop musste; weil SCONJ mark krank; sie PRON nsubj krank Number=Sing; "
        "krank ADJ advcl half; war AUX cop krank Number=Sing|VerbForm=Fin; half VERB root -"
    )
    assert problem_in("de", line, words).pronoun == "sein"
    (made,) = chain("de", line, words)
    assert (made.pronoun, made.gender) == ("sie", "female")
    assert made.text[slice(*made.spans.connective)] == "weil"
    assert not not_the_pronoun(made)


def test_a_pronoun_before_the_connective_is_seen_in_the_parse() -> None:
    line = "[Jan] zag zijn broer met [Piet] in de trein, maar hij sliep."
    found = problem_in("nl", line, "zijn PRON nmod:poss broer Poss=Yes; hij PRON nsubj sliep")
    assert found.pronoun == "hij"
    assert not_the_pronoun(found)
    assert not not_the_pronoun(problem_in("nl", line, "zijn VERB root -; hij PRON nsubj sliep"))


@pytest.mark.parametrize(
    ("lang", "line", "words", "joins"),
    [
        (
            "fr",
            "[Anne] vit [Marie] à Metz, parce que depuis un an elle souffrait.",
            "vit VERB root -; parce SCONJ mark souffrait; que SCONJ fixed parce; "
            "elle PRON nsubj souffrait; souffrait VERB advcl vit",
            True,
        ),
        (
            "es",
            "[Ana] buscó a [Eva] en vano, ya que nunca ella llegó.",
            "buscó VERB root -; ya ADV mark llegó; que SCONJ fixed ya; "
            "ella PRON nsubj llegó; llegó VERB advcl buscó",
            True,
        ),
        (
            "pl",
            "[Jan] szukał [Piotra], mimo że nikt go nie widział.",
            "szukał VERB root -; mimo SCONJ mark widział; że SCONJ fixed mimo; "
            "nikt PRON nsubj widział; go PRON obj widział; widział VERB advcl szukał",
            True,
        ),
        # Taller than he.
        (
            "de",
            "[Karl] war größer und älter als [Peter] damals, oder er log.",
            "war AUX cop größer; größer ADJ root -; oder CCONJ cc log; er PRON nsubj log;"
            " log VERB conj größer",
            True,
        ),
        (
            "de",
            "[Karl] traf [Peter] nie wieder außer als er.",
            "traf VERB root -; als ADP case er; er PRON obl traf",
            False,
        ),
        # "se" is himself: the connective before it counts.
        (
            "pt",
            "[Ana] chamou [Eva], mas se riu o irmão dela.",
            "chamou VERB root -; mas CCONJ cc riu; se PRON expl riu; riu VERB conj chamou;"
            " irmão NOUN nsubj riu; dela PRON nmod irmão",
            True,
        ),
    ],
)  # fmt: skip
def test_connectives_of_clauses(lang: str, line: str, words: str, *, joins: bool) -> None:
    (made,) = chain(lang, line, words)
    assert no_clause(made) is not joins


def test_a_pronoun_in_two_pieces_is_its_last_word() -> None:
    line = "[Maria] viu [Ana] na rua quando o irmão dela chegou."
    words = (
        "dela PRON nmod irmão; irmão NOUN nsubj chegou; chegou VERB advcl viu; "
        "quando SCONJ mark chegou; viu VERB root -"
    )
    found = problem_in("pt", line, words)
    read = found.read
    at = read.forms.index("dela")
    start, end = read.words[at]
    cut = Analysis(
        read.text,
        (*read.tokens[:at], (start, start + 1), (start + 1, end), *read.tokens[at + 1 :]),
        read.sentences,
        read.entities,
        upos=(*read.upos[:at], "ADP", *read.upos[at:]),
    )
    pieces = replace(found, read=cut)
    assert pieces.word_at(pieces.spans.pronoun) == at + 1
    assert not no_clause(found)
