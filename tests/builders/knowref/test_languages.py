"""Pronouns and connectives of six further languages: hard cases, parsed by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corefmill.builders.knowref import table
from corefmill.builders.knowref.filters import no_clause, not_the_pronoun
from corefmill.builders.knowref.problem import Problem
from corefmill.builders.knowref.sentences import ProblemSpans, find_pair, find_spans, sentences
from corefmill.builders.knowref.stages import problems
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
        ("fr", "Anne attendait Marie à la gare parce qu’elle avait peur.", "parce qu’", "elle"),
        ("fr", "Lorsqu'Anne vit Marie à la porte, elle sourit longtemps.", ",", "elle"),
        # Nobody's "il" is passed over.
        ("pt", "O João falou com o Pedro na rua porque ele tinha medo.", "porque", "ele"),
        ("pt", "Maria viu Ana na rua quando o irmão della chegou.", "quando", "della"),
        ("pl", "Gdy Anna zobaczyła Marię w oknie, nikt jej nie poznał.", ",", "jej"),
    ],
)
def test_connective_and_pronoun(lang: str, text: str, connective: str, pronoun: str) -> None:
    found = find_spans(text, table.load(lang), names_table.load(lang))
    assert isinstance(found, ProblemSpans), found
    assert (text[slice(*found.connective)], text[slice(*found.pronoun)]) == (connective, pronoun)


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
        ("de", "[Anna] traf [Maria] oft, weil Karl ihr half.", "ihr PRON obj half Case=Dat", False),
        ("de", "[Anna] traf [Maria] oft, weil ihr es wolltet.", "ihr PRON nsubj es Person=2", True),
        # Her, or their.
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
        # Taller than he.
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
