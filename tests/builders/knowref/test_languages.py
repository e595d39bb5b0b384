"""Pronouns and connectives of six further languages: hard cases, parsed by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corefmill.builders.knowref import table
from corefmill.builders.knowref.build import make_problems
from corefmill.builders.knowref.filters import no_clause, not_the_pronoun
from corefmill.builders.knowref.problem import Problem
from corefmill.builders.knowref.sentences import find_sentences
from corefmill.builders.nlp import Analysis
from corefmill.builders.persons import table as names_table
from corefmill.builders.persons.gender import Genders
from corefmill.builders.run.stages import Context
from tests.builders.knowref.problems import problem_in, tree
from tests.builders.rows import rows
from tests.builders.wikicrem.passages import article, marked


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
    found = list(find_sentences(table.load("pl"), genders, iter((article(text),)), context))
    assert bool(found) is fits
    assert list(context.rejects) == ([] if fits else ["too_few_of_gender"])


@pytest.mark.parametrize(
    ("lang", "line", "words", "other"),
    rows("""
        de  [Anna] traf [Maria] am Abend, weil sie schlief.
            sie PRON nsubj schlief Case=Nom; schlief VERB root - Number=Sing|VerbForm=Fin  no
        de  [Anna] traf [Maria] am Abend, weil sie schlief.
            sie PRON nsubj schlief Case=Nom; schlief VERB root - Number=Plur|VerbForm=Fin  yes
        # The verb is believed before the pronoun; without either it is "they".
        de  [Anna] traf [Maria] am Abend, weil sie schlief.
            sie PRON nsubj schlief Case=Nom|Number=Plur;
            schlief VERB root - Number=Sing|VerbForm=Fin  no
        de  [Anna] traf [Maria] am Abend, weil sie schlief.  sie PRON nsubj schlief Case=Nom  yes
        de  [Anna] traf [Maria] am Abend, weil sie schlief.
            sie PRON nsubj schlief Case=Nom|Number=Sing  no
        de  [Anna] traf [Maria] am Abend, weil sie schlief.
            sie PRON nsubj schlief; schlief ADJ root -; am AUX cop schlief  yes
        de  [Anna] traf [Maria] am Abend, weil sie krank war.
            sie PRON nsubj krank; krank ADJ root -; war AUX cop krank Number=Sing|VerbForm=Fin  no
        de  [Anna] traf [Maria] oft, weil Sie rief.  Sie PRON obj Sie Number=Sing  yes
        de  [Anna] traf [Maria] oft, weil Karl ihr half.  ihr PRON obj half Case=Dat  no
        de  [Anna] traf [Maria] oft, weil ihr es wolltet.  ihr PRON nsubj es Person=2  yes
        # Her, or their.
        de  [Anna] traf [Maria] oft, weil ihr Haus brannte.
            ihr DET det:poss Haus Number=Sing|Poss=Yes  yes
        de  [Karl] traf [Peter] oft, weil sein Haus brannte.
            sein DET det:poss Haus Number=Sing|Poss=Yes  no
        de  [Karl] traf [Peter] oft, weil es so sein sollte.  sein AUX cop so  yes
        nl  [Jan] zag [Piet] in [Hoorn], waar de boten zijn.  zijn VERB acl boten  yes
        nl  [Jan] zag [Piet] in Hoorn, maar zijn boot zonk.  zijn PRON nmod:poss boot Poss=Yes  no
        nl  [Anna] zag [Eva] toen, omdat haar nat werd.  haar NOUN nsubj werd  yes
        nl  [Anna] zag [Eva] in de tuin, terwijl ze sliepen.
            ze PRON nsubj sliepen; sliepen VERB advcl zag Number=Plur|VerbForm=Fin  yes
        nl  [Anna] zag [Eva] in de tuin, terwijl zij sliep.
            zij PRON nsubj sliep; sliep VERB advcl zag Number=Sing|VerbForm=Fin  no
        nl  [Anna] zag [Eva] in de tuin, omdat iedereen ze zocht.  ze PRON obj zocht  yes
        fr  [Paul] vit [Jean] sur le pont, quand il gela.  il PRON expl:subj gela Number=Sing  yes
        fr  [Paul] vit [Jean] là, quand il sortit.  il PRON nsubj sortit  no
        pl  [Jan] czekał na [Piotra], bo nim przyszło lato, był.  nim SCONJ mark lato  yes
        pl  [Jan] znał [Piotra] dobrze, bo był z nim brat.  nim PRON obl był  no
        pl  [Jan] znał [Piotra] dobrze, bo przeciw nim mówiono.  nim PRON obl mówiono Number=Plur
            yes
    """),
)
def test_a_pronoun_that_is_another_word(lang: str, line: str, words: str, *, other: bool) -> None:
    assert not_the_pronoun(problem_in(lang, line, words)) is other


def chain(lang: str, line: str, words: str) -> list[Problem]:
    """The problem of the line as the stage makes it."""
    made = problem_in(lang, line, words)
    pair = (made.sentence, tree(marked(line), words))
    genders = Genders(lang, names_table.load(lang))
    return list(make_problems(made.table, genders, iter((pair,)), Context(0, 0)))


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
    rows("""
        fr  [Anne] vit [Marie] à Metz, parce que depuis un an elle souffrait.
            vit VERB root -; parce SCONJ mark souffrait; que SCONJ fixed parce;
            elle PRON nsubj souffrait; souffrait VERB advcl vit  yes
        es  [Ana] buscó a [Eva] en vano, ya que nunca ella llegó.
            buscó VERB root -; ya ADV mark llegó; que SCONJ fixed ya; ella PRON nsubj llegó;
            llegó VERB advcl buscó  yes
        pl  [Jan] szukał [Piotra], mimo że nikt go nie widział.
            szukał VERB root -; mimo SCONJ mark widział; że SCONJ fixed mimo;
            nikt PRON nsubj widział; go PRON obj widział; widział VERB advcl szukał  yes
        # Taller than he.
        de  [Karl] war größer und älter als [Peter] damals, oder er log.
            war AUX cop größer; größer ADJ root -; oder CCONJ cc log; er PRON nsubj log;
            log VERB conj größer  yes
        de  [Karl] traf [Peter] nie wieder außer als er.
            traf VERB root -; als ADP case er; er PRON obl traf  no
        # "se" is himself: the connective before it counts.
        pt  [Ana] chamou [Eva], mas se riu o irmão dela.
            chamou VERB root -; mas CCONJ cc riu; se PRON expl riu; riu VERB conj chamou;
            irmão NOUN nsubj riu; dela PRON nmod irmão  yes
    """),
)
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
    cut = (*read.tokens[:at], (start, start + 1), (start + 1, end), *read.tokens[at + 1 :])
    upos = (*read.upos[:at], "ADP", *read.upos[at:])
    pieces = replace(found, read=Analysis(read.text, cut, read.sentences, (), upos=upos))
    assert pieces.word_at(pieces.spans.pronoun) == at + 1
    assert not no_clause(found)
