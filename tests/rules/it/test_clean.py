"""What clean mode does otherwise, each refinement on and off."""

from __future__ import annotations

import pytest

from corefmill.corpora.files.errors import UsageError
from corefmill.rules.it import rules
from corefmill.rules.rule import KeyedMention, refine, text
from tests.rules.trees import utterance

KEPT = {
    "coordination": (
        "Lui/lui/who.s3/4/nsubj o/o/and/3/cc Anna/Anna/name/1/conj canta/cantare/v.s3r/0/root",
        "O Anna canta",
    ),
    "focus": (
        "Anche/anche/adv/2/advmod lui/lui/who.s3/3/nsubj canta/cantare/v.s3r/0/root",
        "Anche canta",
    ),
    "contrast": (
        "Lui/lui/who.s3/3/nsubj invece/invece/adv/3/advmod canta/cantare/v.s3r/0/root",
        "Invece canta",
    ),
    "postverbal": ("Canta/cantare/v.s3r/0/root lui/lui/who.s3/1/nsubj", "Canta"),
    "modified": (
        "Lui/lui/who.s3/4/nsubj che/che/rel/3/nsubj sa/sapere/v.s3r/1/acl:relcl "
        "canta/cantare/v.s3r/0/root",
        "Che sa canta",
    ),
    "nonfinite": (
        "Essendo/essere/ger/3/aux lui/lui/who.s3/3/nsubj partito/partire/part/0/root",
        "Essendo partito",
    ),
    "person": ("Lui/lui/who.s3/2/nsubj canto/cantare/v.s1/0/root", "Canto"),
    "ambiguous": (
        "Pensi/pensare/v.s2/0/root che/che/that/4/mark io/io/who.s1/4/nsubj "
        "canti/cantare/sub.s1r/1/ccomp",
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
        "Forse/forse/adv/4/advmod egli/egli/who.s3/1/obl non/non/adv/4/advmod "
        "canta/cantare/v.s3r/0/root",
        [("1", 1, 2)],
    )
    mended, _ = refine(given, rules("clean"))
    assert text(mended) == "Forse non canta"
    assert mended.mentions == (KeyedMention("1", 2, 3),)
    assert text(refine(given, rules("clean", ["subject-deletion/position"]))[0]) == text(given)


def test_a_verb_that_bears_a_mention_takes_no_second() -> None:
    words = "Lui/lui/who.s3/2/nsubj canta/cantare/v.s3r/0/root"
    given = utterance(words, [("1", 0, 1), ("2", 1, 2)])
    kept, changes = refine(given, rules("clean"))
    assert kept == given
    assert changes[0].rule == "subject-deletion/occupied"


def test_an_elided_word_is_spelled_out() -> None:
    given = utterance(
        "So/sapere/v.s1/0/root ch'~/che/that/4/mark egli/egli/who.s3/4/nsubj "
        "canta/cantare/v.s3r/1/ccomp"
    )
    assert text(refine(given, rules("clean"))[0]) == "So che canta"


CASES = {
    "after-preposition/third": (
        "Parlo/parlare/v.s1/0/root di/di/prep/3/case egli/egli/who.s3/1/obl",
        "Parlo di lui",
    ),
    "after-preposition/coordination": (
        "Resta/restare/imp.s2/0/root tra/tra/prep/3/case me/me/who.s1/1/obl e/e/and/5/cc "
        "tu/tu/who.s2/3/conj",
        "Resta tra me e te",
    ),
    "kin-article": (
        "Parla/parlare/v.s3r/0/root di/di/prep/5/case il/il/the.ms/5/det "
        "mio/mio/poss.ms/5/det:poss padre/padre/noun.ms/1/obl",
        "Parla di mio padre",
    ),
    "possessive-article": (
        "Mia/mio/poss.fs/2/det:poss macchina/macchina/noun.fs/4/nsubj è/essere/aux.s3r/4/cop "
        "rossa/rosso/adj.fs/0/root",
        "La mia macchina è rossa",
    ),
    "possessive-article after the verb": (
        "Nasce/nascere/v.s3r/0/root sua/suo/poss.fs/3/det:poss forza/forza/noun.fs/1/nsubj",
        "Nasce la sua forza",
    ),
    "possessive-article with a relative that is adorned": (
        "Vede/vedere/v.s3r/0/root suo/suo/poss.ms/4/det:poss nuovo/nuovo/adj.ms/4/amod "
        "genero/genero/noun.ms/1/obj",
        "Vede il suo nuovo genero",
    ),
    "participle of a clitic that the tree takes for no object": (
        "Li/li/cl/3/expl ha/avere/aux.s3r/3/aux reso/rendere/part.ms/0/root",
        "Li ha resi",
    ),
    "participle": (
        "Le/le/cl/3/obj ha/avere/aux.s3r/3/aux visto/vedere/part.ms/0/root",
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


NUMBER = {
    "adjoined": (
        "Creano/creare/v.s3/0/root esse/esso/who.p3/1/nsubj stesse/stesso/adj.fp/2/amod",
        (),
        "Creano essa stesse",
    ),
    "mention": (
        "Lei/lei/who.s3/2/nsubj hanno/avere/v.p3/0/root fame/fame/noun.fs/2/obj",
        [("1", 0, 1)],
        "Loro hanno fame",
    ),
    "coordination": (
        "Lui/lui/who.s3/4/obl o/o/and/4/cc lei/lei/who.s3/4/nsubj vogliono/volere/v.p3/0/root",
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


def test_unknown_names_are_refused() -> None:
    with pytest.raises(UsageError, match="subject-deletion/focus"):
        rules("clean", ["subject-deletion/foucs"])
    with pytest.raises(UsageError, match="paper mode"):
        rules("paper", ["subject-deletion/focus"])
    with pytest.raises(UsageError, match="no mode"):
        rules("cleen")  # type: ignore[arg-type]
