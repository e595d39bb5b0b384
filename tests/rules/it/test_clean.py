"""What clean mode does otherwise, each refinement on and off."""

from __future__ import annotations

import pytest

from corefmill.corpora.files.errors import UsageError
from corefmill.rules.it import rules
from corefmill.rules.rule import KeyedMention, refine, text
from tests.rules.trees import utterance

FIN = "Mood=Ind|Person=3|Tense=Pres|VerbForm=Fin|Number=Sing"
PRS = "Number=Sing|Person=3|PronType=Prs"
MS = "Gender=Masc|Number=Sing"
FS = "Gender=Fem|Number=Sing"
ART = "Definite=Def|PronType=Art"

KEPT = {
    "coordination": (
        f"""
        Lui lui PRON {PRS} 4 nsubj
        o o CCONJ _ 3 cc
        Anna Anna PROPN _ 1 conj
        canta cantare VERB {FIN} 0 root
        """,
        "O Anna canta",
    ),
    "focus": (
        f"""
        Anche anche ADV _ 2 advmod
        lui lui PRON {PRS} 3 nsubj
        canta cantare VERB {FIN} 0 root
        """,
        "Anche canta",
    ),
    "contrast": (
        f"""
        Lui lui PRON {PRS} 3 nsubj
        invece invece ADV _ 3 advmod
        canta cantare VERB {FIN} 0 root
        """,
        "Invece canta",
    ),
    "postverbal": (
        f"""
        Canta cantare VERB {FIN} 0 root
        lui lui PRON {PRS} 1 nsubj
        """,
        "Canta",
    ),
    "modified": (
        f"""
        Lui lui PRON {PRS} 4 nsubj
        che che PRON PronType=Rel 3 nsubj
        sa sapere VERB {FIN} 1 acl:relcl
        canta cantare VERB {FIN} 0 root
        """,
        "Che sa canta",
    ),
    "nonfinite": (
        f"""
        Essendo essere AUX VerbForm=Ger 3 aux
        lui lui PRON {PRS} 3 nsubj
        partito partire VERB VerbForm=Part 0 root
        """,
        "Essendo partito",
    ),
    "person": (
        f"""
        Lui lui PRON {PRS} 2 nsubj
        canto cantare VERB Mood=Ind|Number=Sing|Person=1|VerbForm=Fin 0 root
        """,
        "Canto",
    ),
    "ambiguous": (
        """
        Pensi pensare VERB Mood=Ind|Number=Sing|Person=2|VerbForm=Fin 0 root
        che che SCONJ _ 4 mark
        io io PRON Number=Sing|Person=1|PronType=Prs 4 nsubj
        canti cantare VERB Mood=Sub|Number=Sing|Person=1|Tense=Pres|VerbForm=Fin 1 ccomp
        """,
        "Pensi che canti",
    ),
}


@pytest.mark.parametrize("name", KEPT)
def test_a_refinement_keeps_the_pronoun_and_is_counted(name: str) -> None:
    rows, off = KEPT[name]
    given = utterance(rows)
    kept, changes = refine(given, rules("clean", ["subject-number"]))
    assert text(kept) == text(given)
    assert [(change.rule, change.is_kept) for change in changes] == [
        (f"subject-deletion/{name}", True)
    ]
    # What belongs to the pronoun or stands between it and its verb would keep it as well.
    others = ["subject-deletion/apart", "subject-deletion/modified", "subject-number"]
    without = rules("clean", [f"subject-deletion/{name}", *others])
    assert text(refine(given, without)[0]) == off


def test_a_pronoun_is_found_by_its_place() -> None:
    given = utterance(
        f"""
        Forse forse ADV _ 4 advmod
        egli egli PRON {PRS} 1 obl
        non non ADV _ 4 advmod
        canta cantare VERB {FIN} 0 root
        """,
        [("1", 1, 2)],
    )
    mended, _ = refine(given, rules("clean"))
    assert text(mended) == "Forse non canta"
    assert mended.mentions == (KeyedMention("1", 2, 3),)
    assert text(refine(given, rules("clean", ["subject-deletion/position"]))[0]) == text(given)


def test_a_verb_that_bears_a_mention_takes_no_second() -> None:
    given = utterance(
        f"""
        Lui lui PRON {PRS} 2 nsubj
        canta cantare VERB {FIN} 0 root
        """,
        [("1", 0, 1), ("2", 1, 2)],
    )
    kept, changes = refine(given, rules("clean"))
    assert kept == given
    assert changes[0].rule == "subject-deletion/occupied"


def test_an_elided_word_is_spelled_out() -> None:
    given = utterance(
        f"""
        So sapere VERB Mood=Ind|Number=Sing|Person=1|VerbForm=Fin 0 root
        ch'~ che SCONJ _ 4 mark
        egli egli PRON {PRS} 4 nsubj
        canta cantare VERB {FIN} 1 ccomp
        """
    )
    assert text(refine(given, rules("clean"))[0]) == "So che canta"


CASES = {
    "after-preposition/third": (
        f"""
        Parlo parlare VERB Mood=Ind|Number=Sing|Person=1|VerbForm=Fin 0 root
        di di ADP _ 3 case
        egli egli PRON {PRS} 1 obl
        """,
        "Parlo di lui",
    ),
    "after-preposition/coordination": (
        """
        Resta restare VERB Mood=Imp|Number=Sing|Person=2|VerbForm=Fin 0 root
        tra tra ADP _ 3 case
        me me PRON Number=Sing|Person=1|PronType=Prs 1 obl
        e e CCONJ _ 5 cc
        tu tu PRON Number=Sing|Person=2|PronType=Prs 3 conj
        """,
        "Resta tra me e te",
    ),
    "kin-article": (
        f"""
        Parla parlare VERB {FIN} 0 root
        di di ADP _ 5 case
        il il DET {ART}|{MS} 5 det
        mio mio DET Poss=Yes|{MS} 5 det:poss
        padre padre NOUN {MS} 1 obl
        """,
        "Parla di mio padre",
    ),
    "possessive-article": (
        f"""
        Mia mio DET Poss=Yes|{FS} 2 det:poss
        macchina macchina NOUN {FS} 4 nsubj
        è essere AUX {FIN} 4 cop
        rossa rosso ADJ {FS} 0 root
        """,
        "La mia macchina è rossa",
    ),
    "possessive-article after the verb": (
        f"""
        Nasce nascere VERB {FIN} 0 root
        sua suo DET Poss=Yes|{FS} 3 det:poss
        forza forza NOUN {FS} 1 nsubj
        """,
        "Nasce la sua forza",
    ),
    "possessive-article with a relative that is adorned": (
        f"""
        Vede vedere VERB {FIN} 0 root
        suo suo DET Poss=Yes|{MS} 4 det:poss
        nuovo nuovo ADJ {MS} 4 amod
        genero genero NOUN {MS} 1 obj
        """,
        "Vede il suo nuovo genero",
    ),
    "participle of a clitic that the tree takes for no object": (
        f"""
        Li li PRON Clitic=Yes 3 expl
        ha avere AUX {FIN} 3 aux
        reso rendere VERB {MS}|VerbForm=Part 0 root
        """,
        "Li ha resi",
    ),
    "participle": (
        f"""
        Le le PRON Clitic=Yes 3 obj
        ha avere AUX {FIN} 3 aux
        visto vedere VERB {MS}|VerbForm=Part 0 root
        """,
        "Le ha viste",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_rule_or_form_that_clean_mode_adds(name: str) -> None:
    rows, expected = CASES[name]
    name = name.partition(" ")[0]
    given = utterance(rows, **({"w2_3": "del"} if name == "kin-article" else {}))
    mended, changes = refine(given, rules("clean"))
    assert text(mended) == expected
    assert name in {change.rule for change in changes}
    assert text(refine(given, rules("clean", [name]))[0]) == text(given)
    assert text(refine(given, rules("paper"))[0]) == text(given)


STAYS = {
    "an adorned relative keeps its article": f"""
        La il DET {ART}|{FS} 4 det
        mia mio DET Poss=Yes|{FS} 4 det:poss
        cara caro ADJ {FS} 4 amod
        madre madre NOUN {FS} 5 nsubj
        canta cantare VERB {FIN} 0 root
        """,
    "a person is not ciò": f"""
        Quella quello PRON {FS} 3 nsubj
        è essere AUX {FIN} 3 aux
        andato andare VERB {MS}|VerbForm=Part 0 root
        """,
    "a copula": f"""
        Sarà essere AUX {FIN} 3 cop
        nostra nostro DET Poss=Yes|{FS} 3 det:poss
        cura cura NOUN {FS} 0 root
        """,
    "friends who are not told": """
        Vengono venire VERB Mood=Ind|Number=Plur|Person=3|VerbForm=Fin 0 root
        nostri nostro DET Poss=Yes|Gender=Masc|Number=Plur 3 det:poss
        amici amico NOUN Gender=Masc|Number=Plur 1 nsubj
        """,
    "a relative with an adjective behind": f"""
        Mia mio DET Poss=Yes|{FS} 2 det:poss
        sorella sorella NOUN {FS} 4 nsubj
        maggiore maggiore ADJ Number=Sing 2 amod
        canta cantare VERB {FIN} 0 root
        """,
    "a plural verb": f"""
        Questi questo PRON Gender=Masc|Number=Plur 3 nsubj
        sono essere AUX Mood=Ind|Number=Plur|Person=3|VerbForm=Fin 3 cop
        esterno esterno ADJ {MS} 0 root
        """,
    "a le after che, which may be whom it was told": f"""
        Problema problema NOUN {MS} 0 root
        che che PRON PronType=Rel 5 mark
        le le PRON Clitic=Yes 5 obj
        ho avere AUX Mood=Ind|Number=Sing|Person=1|VerbForm=Fin 5 aux
        posto porre VERB {MS}|VerbForm=Part 1 acl:relcl
        """,
    "coordinated subjects": """
        Io io PRON Number=Sing|Person=1 4 nsubj
        e e CCONJ _ 3 cc
        Ada Ada PROPN _ 1 conj
        cantiamo cantare VERB Mood=Ind|Number=Plur|Person=1|VerbForm=Fin 0 root
        """,
}


NUMBER = {
    "adjoined": (
        """
        Creano creare VERB Mood=Ind|Number=Sing|Person=3|VerbForm=Fin 0 root
        esse esso PRON Number=Plur|Person=3|PronType=Prs 1 nsubj
        stesse stesso ADJ Gender=Fem|Number=Plur 2 amod
        """,
        (),
        "Creano essa stesse",
    ),
    "mention": (
        f"""
        Lei lei PRON {PRS} 2 nsubj
        hanno avere VERB Mood=Ind|Number=Plur|Person=3|VerbForm=Fin 0 root
        fame fame NOUN {FS} 2 obj
        """,
        [("1", 0, 1)],
        "Loro hanno fame",
    ),
    "coordination": (
        f"""
        Lui lui PRON {PRS} 4 obl
        o o CCONJ _ 4 cc
        lei lei PRON {PRS} 4 nsubj
        vogliono volere VERB Mood=Ind|Number=Plur|Person=3|VerbForm=Fin 0 root
        """,
        (),
        "Lui o loro vogliono",
    ),
}


@pytest.mark.parametrize("name", NUMBER)
def test_a_pronoun_keeps_its_number(name: str) -> None:
    rows, mentions, off = NUMBER[name]
    given = utterance(rows, mentions)
    kept, changes = refine(given, rules("clean", ["subject-deletion"]))
    assert text(kept) == text(given)
    assert f"subject-number/{name}" in {change.rule for change in changes}
    others = rules("clean", ["subject-deletion", f"subject-number/{name}"])
    assert text(refine(given, others)[0]) == off


@pytest.mark.parametrize("rows", STAYS.values(), ids=STAYS)
def test_what_is_right_stays(rows: str) -> None:
    given = utterance(rows)
    assert text(refine(given, rules("clean"))[0]) == text(given)


@pytest.mark.parametrize(
    ("wrong", "noun", "expected"),
    [
        ("Quella", f"studente studente NOUN {MS}", "Quello studente"),
        ("Quello", f"cane cane NOUN {MS}", "Quel cane"),
        ("Quel", "amici amico NOUN Gender=Masc|Number=Plur", "Quegli amici"),
        ("Quegli", "cani cane NOUN Gender=Masc|Number=Plur", "Quei cani"),
        ("Quello", f"idea idea NOUN {FS}", "Quell'idea"),
        ("Queste", f"anno anno NOUN {MS}", "Quest'anno"),
        ("Questa", f"amico amico NOUN {MS}", "Questo amico"),
    ],
)
def test_demonstratives_fit_the_next_word(wrong: str, noun: str, expected: str) -> None:
    given = utterance(f"{wrong} quello DET PronType=Dem 2 det\n{noun} 0 root")
    assert text(refine(given, rules("clean"))[0]) == expected


def test_unknown_names_are_refused() -> None:
    with pytest.raises(UsageError, match="subject-deletion/focus"):
        rules("clean", ["subject-deletion/foucs"])
    with pytest.raises(UsageError, match="paper mode"):
        rules("paper", ["subject-deletion/focus"])
    with pytest.raises(UsageError, match="no mode"):
        rules("cleen")  # type: ignore[arg-type]


PRESENT = "Mood=Ind|Person=3|Tense=Pres|VerbForm=Fin"
MENDED = {
    "a noun that was taken for the other gender": (
        "Questa questo DET PronType=Dem 2 det\nciclone ciclone NOUN Gender=Fem|Number=Sing 0 root",
        "Questo ciclone",
    ),
    "an invariable noun whose number only the verb shows": (
        f"""
        Questa questo DET PronType=Dem 2 det
        città città NOUN Gender=Fem|Number=Sing 3 nsubj
        crescono crescere VERB {PRESENT}|Number=Plur 0 root
        """,
        "Queste città crescono",
    ),
    "a demonstrative that the tree hangs elsewhere": (
        f"""
        Vedono vedere VERB {PRESENT}|Number=Plur 0 root
        quelle quello PRON PronType=Dem 1 obj
        limiti limite NOUN Gender=Masc|Number=Plur 1 obl
        """,
        "Vedono quei limiti",
    ),
    "an adjective as a noun": (
        """
        Questi questo DET PronType=Dem 2 det
        ultimo ultimo ADJ Gender=Masc|Number=Sing 0 root
        """,
        "Quest'ultimo",
    ),
}


@pytest.mark.parametrize("name", MENDED)
def test_demonstratives_agree(name: str) -> None:
    rows, expected = MENDED[name]
    assert text(refine(utterance(rows), rules("clean"))[0]) == expected


NOUNS_THAT_STAY = {
    "an invariable noun whose number nothing shows": """
        Queste questo DET PronType=Dem 2 det
        città città NOUN Gender=Fem|Number=Sing 0 root
        """,
    "a pronoun before an adjective": """
        Compreso comprendere VERB VerbForm=Part 0 root
        quello quello PRON PronType=Dem 3 det
        militare militare ADJ Number=Sing 1 nsubj
        """,
    "a pronoun before what may be no noun": f"""
        C'~ ci PRON _ 2 expl
        è essere VERB {PRESENT}|Number=Sing 0 root
        quello quello PRON PronType=Dem 2 nsubj
        exfoliant exfoliant NOUN _ 3 nmod
        """,
    "several subjects of one verb": f"""
        Questa questo DET PronType=Dem 2 det
        città città NOUN Gender=Fem 5 nsubj
        e e CCONJ _ 4 cc
        Roma Roma PROPN _ 2 conj
        crescono crescere VERB {PRESENT}|Number=Plur 0 root
        """,
}


@pytest.mark.parametrize("rows", NOUNS_THAT_STAY.values(), ids=NOUNS_THAT_STAY)
def test_a_right_noun_stays(rows: str) -> None:
    given = utterance(rows)
    assert text(refine(given, rules("clean"))[0]) == text(given)
