"""Each example of the paper (section 4.3, figure 10, table 22) gives the paper's output.

All run the whole of paper mode; trees are as Universal Dependencies have them.
"""

from __future__ import annotations

import pytest

from corefmill.rules.it import rules
from corefmill.rules.rule import KeyedMention, refine, text
from tests.rules.trees import utterance

FIN = "Mood=Ind|Person=3|Tense=Pres|VerbForm=Fin"

EXAMPLES = {
    'Section 4.3: "Per la strada, [egli] comprò del vino"': (
        f"""
        Per per ADP _ 3 case
        la il DET Definite=Def|Gender=Fem|Number=Sing 3 det
        strada~ strada NOUN Gender=Fem|Number=Sing 6 obl
        , , PUNCT _ 3 punct
        egli egli PRON Number=Sing|Person=3|PronType=Prs 6 nsubj
        comprò comprare VERB {FIN}|Number=Sing 0 root
        di di ADP _ 9 case
        il il DET Definite=Def|Gender=Masc|Number=Sing 9 det
        vino~ vino NOUN Gender=Masc|Number=Sing 6 obj
        . . PUNCT _ 6 punct
        """,
        [("1", 4, 5)],
        {"w7_8": "del"},
        "Per la strada, comprò del vino.",
        [("1", 4, 5)],
    ),
    'Section 4.3.1: the mentions of Egli and lei move to "ha", the auxiliary, and to "era"': (
        f"""
        Egli egli PRON Number=Sing|Person=3|PronType=Prs 3 nsubj
        ha avere AUX {FIN}|Number=Sing 3 aux
        detto dire VERB Gender=Masc|Number=Sing|VerbForm=Part 0 root
        a a ADP _ 6 case
        la il DET Definite=Def|Gender=Fem|Number=Sing 6 det
        gente gente NOUN Gender=Fem|Number=Sing 3 obl
        che che SCONJ _ 12 mark
        lei lei PRON Number=Sing|Person=3|PronType=Prs 12 nsubj
        era essere AUX {FIN}|Number=Sing 12 cop
        una uno DET Definite=Ind|Gender=Fem|Number=Sing 12 det
        brava bravo ADJ Gender=Fem|Number=Sing 12 amod
        cuoca cuoca NOUN Gender=Fem|Number=Sing 3 ccomp
        """,
        [("1", 0, 1), ("2", 7, 8)],
        {"w4_5": "alla"},
        "Ha detto alla gente che era una brava cuoca",
        [("1", 0, 1), ("2", 6, 7)],
    ),
    '"Esso era facile": start and end of the mention stay as they are': (
        f"""
        Esso esso PRON Gender=Masc|Number=Sing|Person=3|PronType=Prs 3 nsubj
        era essere AUX {FIN}|Number=Sing 3 cop
        facile facile ADJ Number=Sing 0 root
        da da ADP _ 5 mark
        gestire gestire VERB VerbForm=Inf 3 advcl
        una uno DET Definite=Ind|Gender=Fem|Number=Sing 7 det
        volta volta NOUN Gender=Fem|Number=Sing 10 advmod
        che che SCONJ _ 10 mark
        tutti tutto PRON Gender=Masc|Number=Plur 10 nsubj
        capivano capire VERB {FIN}|Number=Plur 3 advcl
        """,
        [("1", 0, 1)],
        {},
        "Era facile da gestire una volta che tutti capivano",
        [("1", 0, 1)],
    ),
    'Table 22: the mention of "[Essi] hanno scritto oggi" stands on the verb': (
        f"""
        Essi essi PRON Gender=Masc|Number=Plur|Person=3|PronType=Prs 3 nsubj
        hanno avere AUX {FIN}|Number=Plur 3 aux
        scritto scrivere VERB Gender=Masc|Number=Sing|VerbForm=Part 0 root
        oggi oggi ADV _ 3 advmod
        """,
        [("1", 0, 1)],
        {},
        "Hanno scritto oggi",
        [("1", 0, 1)],
    ),
    'Section 4.3.2: "Tu siete nella stanza" is rewritten "Voi"': (
        """
        Tu tu PRON Number=Sing|Person=2|PronType=Prs 5 nsubj
        siete essere AUX Mood=Ind|Number=Plur|Person=2|Tense=Pres|VerbForm=Fin 5 cop
        in in ADP _ 5 case
        la il DET Definite=Def|Gender=Fem|Number=Sing 5 det
        stanza stanza NOUN Gender=Fem|Number=Sing 0 root
        """,
        [("1", 0, 1)],
        {"w3_4": "nella"},
        "Voi siete nella stanza",
        [("1", 0, 1)],
    ),
    'Section 4.3.2: "Non credono che me sia pronto" is rewritten "io"': (
        """
        Non non ADV _ 2 advmod
        credono credere VERB Mood=Ind|Number=Plur|Person=3|Tense=Pres|VerbForm=Fin 0 root
        che che SCONJ _ 6 mark
        me me PRON Number=Sing|Person=1|PronType=Prs 6 nsubj
        sia essere AUX Mood=Sub|Number=Sing|Person=1|Tense=Pres|VerbForm=Fin 6 cop
        pronto pronto ADJ Gender=Masc|Number=Sing 2 ccomp
        """,
        [("1", 3, 4)],
        {},
        "Non credono che io sia pronto",
        [("1", 3, 4)],
    ),
    'Section 4.3.2: "Mia padre lavora in banca" is rewritten "mio"': (
        f"""
        Mia mio DET Gender=Fem|Number=Sing|Poss=Yes|PronType=Prs 2 det:poss
        padre padre NOUN Gender=Masc|Number=Sing 3 nsubj
        lavora lavorare VERB {FIN}|Number=Sing 0 root
        in in ADP _ 5 case
        banca banca NOUN Gender=Fem|Number=Sing 3 obl
        """,
        [("1", 0, 2), ("2", 0, 1)],
        {},
        "Mio padre lavora in banca",
        [("1", 0, 2), ("2", 0, 1)],
    ),
    'Section 4.3.2: "Quella avviso" is rewritten "Quello", and that elided: "Quell\'"': (
        f"""
        Quella quello DET Gender=Fem|Number=Sing|PronType=Dem 2 det
        avviso avviso NOUN Gender=Masc|Number=Sing 5 nsubj:pass
        è essere AUX {FIN}|Number=Sing 5 aux
        stato essere AUX Gender=Masc|Number=Sing|VerbForm=Part 5 aux:pass
        redatto redigere VERB Gender=Masc|Number=Sing|VerbForm=Part 0 root
        in in ADP _ 10 case
        le il DET Definite=Def|Gender=Fem|Number=Plur 10 det
        ultime ultimo ADJ Gender=Fem|Number=Plur 10 amod
        24 24 NUM NumType=Card 10 nummod
        ore ora NOUN Gender=Fem|Number=Plur 5 obl
        . . PUNCT _ 5 punct
        """,
        [("1", 0, 2)],
        {"w6_7": "nelle"},
        "Quell'avviso è stato redatto nelle ultime 24 ore .",
        [("1", 0, 2)],
    ),
    'Section 4.3.2: "Quella è stato fatto" is rewritten "Ciò", the noun being too far away': (
        f"""
        Quella quello PRON Gender=Fem|Number=Sing|PronType=Dem 4 nsubj:pass
        è essere AUX {FIN}|Number=Sing 4 aux
        stato essere AUX Gender=Masc|Number=Sing|VerbForm=Part 4 aux:pass
        fatto fare VERB Gender=Masc|Number=Sing|VerbForm=Part 0 root
        in in ADP _ 9 case
        le il DET Definite=Def|Gender=Fem|Number=Plur 9 det
        ultime ultimo ADJ Gender=Fem|Number=Plur 9 amod
        24 24 NUM NumType=Card 9 nummod
        ore ora NOUN Gender=Fem|Number=Plur 4 obl
        . . PUNCT _ 4 punct
        """,
        [("1", 0, 1)],
        {"w5_6": "nelle"},
        "Ciò è stato fatto nelle ultime 24 ore .",
        [("1", 0, 1)],
    ),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_gives_the_papers_output(name: str) -> None:
    tree, mentions, written, after, moved = EXAMPLES[name]
    mended, _ = refine(utterance(tree, mentions, **written), rules("paper"))
    assert text(mended) == after
    assert mended.mentions == tuple(KeyedMention(*mention) for mention in moved)


def test_io_after_a_preposition() -> None:
    """Table 11, rules 2 and 3, which the paper gives without an example."""
    for wrong, right in (("io", "me"), ("tu", "te")):
        given = utterance(
            f"""
            Venite venire VERB Mood=Imp|Number=Plur|Person=2|VerbForm=Fin 0 root
            con con ADP _ 3 case
            {wrong} {wrong} PRON Number=Sing|PronType=Prs 1 obl
            """
        )
        assert text(refine(given, rules("paper"))[0]) == f"Venite con {right}"
