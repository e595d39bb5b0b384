"""Each example of the paper (section 4.3, figure 10, table 22) gives the paper's output.

All run the whole of paper mode; trees are as Universal Dependencies have them.
"""

from __future__ import annotations

import pytest

from corefmill.rules.it import rules
from corefmill.rules.rule import KeyedMention, refine, text
from tests.rules.trees import utterance

EXAMPLES = {
    'Section 4.3: "Per la strada, [egli] comprò del vino"': (
        "Per/per/prep/3/case la/il/def.fs/3/det strada~/strada/noun.fs/6/obl ,/,/punct/3/punct "
        "egli/egli/who.s3/6/nsubj comprò/comprare/v.s3r/0/root di/di/prep/9/case "
        "il/il/def.ms/9/det vino~/vino/noun.ms/6/obj ././punct/6/punct",
        "Per la strada, comprò del vino.",
        ([("1", 4, 5)], [("1", 4, 5)], {"w7_8": "del"}),
    ),
    'Section 4.3.1: the mentions of Egli and lei move to "ha", the auxiliary, and to "era"': (
        "Egli/egli/who.s3/3/nsubj ha/avere/aux.s3r/3/aux detto/dire/part.ms/0/root "
        "a/a/prep/6/case la/il/def.fs/6/det gente/gente/noun.fs/3/obl che/che/that/12/mark "
        "lei/lei/who.s3/12/nsubj era/essere/aux.s3r/12/cop una/uno/ind.fs/12/det "
        "brava/bravo/adj.fs/12/amod cuoca/cuoca/noun.fs/3/ccomp",
        "Ha detto alla gente che era una brava cuoca",
        ([("1", 0, 1), ("2", 7, 8)], [("1", 0, 1), ("2", 6, 7)], {"w4_5": "alla"}),
    ),
    '"Esso era facile": start and end of the mention stay as they are': (
        "Esso/esso/who.ms3/3/nsubj era/essere/aux.s3r/3/cop facile/facile/adj.s/0/root "
        "da/da/prep/5/mark gestire/gestire/inf/3/advcl una/uno/ind.fs/7/det "
        "volta/volta/noun.fs/10/advmod che/che/that/10/mark tutti/tutto/pron.mp/10/nsubj "
        "capivano/capire/v.p3r/3/advcl",
        "Era facile da gestire una volta che tutti capivano",
        ([("1", 0, 1)], [("1", 0, 1)], {}),
    ),
    'Table 22: the mention of "[Essi] hanno scritto oggi" stands on the verb': (
        "Essi/essi/who.mp3/3/nsubj hanno/avere/aux.p3r/3/aux scritto/scrivere/part.ms/0/root "
        "oggi/oggi/adv/3/advmod",
        "Hanno scritto oggi",
        ([("1", 0, 1)], [("1", 0, 1)], {}),
    ),
    'Section 4.3.2: "Tu siete nella stanza" is rewritten "Voi"': (
        "Tu/tu/who.s2/5/nsubj siete/essere/aux.p2r/5/cop in/in/prep/5/case la/il/def.fs/5/det "
        "stanza/stanza/noun.fs/0/root",
        "Voi siete nella stanza",
        ([("1", 0, 1)], [("1", 0, 1)], {"w3_4": "nella"}),
    ),
    'Section 4.3.2: "Non credono che me sia pronto" is rewritten "io"': (
        "Non/non/adv/2/advmod credono/credere/v.p3r/0/root che/che/that/6/mark "
        "me/me/who.s1/6/nsubj sia/essere/auxsub.s1r/6/cop pronto/pronto/adj.ms/2/ccomp",
        "Non credono che io sia pronto",
        ([("1", 3, 4)], [("1", 3, 4)], {}),
    ),
    'Section 4.3.2: "Mia padre lavora in banca" is rewritten "mio"': (
        "Mia/mio/own.fs/2/det:poss padre/padre/noun.ms/3/nsubj lavora/lavorare/v.s3r/0/root "
        "in/in/prep/5/case banca/banca/noun.fs/3/obl",
        "Mio padre lavora in banca",
        ([("1", 0, 2), ("2", 0, 1)], [("1", 0, 2), ("2", 0, 1)], {}),
    ),
    'Section 4.3.2: "Quella avviso" is rewritten "Quello", and that elided: "Quell\'"': (
        "Quella/quello/this.fs/2/det avviso/avviso/noun.ms/5/nsubj:pass è/essere/aux.s3r/5/aux "
        "stato/essere/been.ms/5/aux:pass redatto/redigere/part.ms/0/root in/in/prep/10/case "
        "le/il/def.fp/10/det ultime/ultimo/adj.fp/10/amod 24/24/num/10/nummod "
        "ore/ora/noun.fp/5/obl ././punct/5/punct",
        "Quell'avviso è stato redatto nelle ultime 24 ore .",
        ([("1", 0, 2)], [("1", 0, 2)], {"w6_7": "nelle"}),
    ),
    'Section 4.3.2: "Quella è stato fatto" is rewritten "Ciò", the noun being too far away': (
        "Quella/quello/it.fs/4/nsubj:pass è/essere/aux.s3r/4/aux stato/essere/been.ms/4/aux:pass "
        "fatto/fare/part.ms/0/root in/in/prep/9/case le/il/def.fp/9/det "
        "ultime/ultimo/adj.fp/9/amod 24/24/num/9/nummod ore/ora/noun.fp/4/obl ././punct/4/punct",
        "Ciò è stato fatto nelle ultime 24 ore .",
        ([("1", 0, 1)], [("1", 0, 1)], {"w5_6": "nelle"}),
    ),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_gives_the_papers_output(name: str) -> None:
    tree, after, (mentions, moved, written) = EXAMPLES[name]
    mended, _ = refine(utterance(tree, mentions, **written), rules("paper"))
    assert text(mended) == after
    assert mended.mentions == tuple(KeyedMention(*mention) for mention in moved)


def test_io_after_a_preposition() -> None:
    """Table 11, rules 2 and 3, which the paper gives without an example."""
    for wrong, right in (("io", "me"), ("tu", "te")):
        given = utterance(
            f"Venite/venire/imp.p2/0/root con/con/prep/3/case {wrong}/{wrong}/who.s/1/obl"
        )
        assert text(refine(given, rules("paper"))[0]) == f"Venite con {right}"
