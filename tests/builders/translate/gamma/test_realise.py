import re
from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corefmill.builders.nlp.backend import Analysis
from corefmill.builders.translate.gamma import realise as gamma_realise
from corefmill.builders.translate.gamma.edits import MentionToPlace, Mode
from corefmill.builders.translate.gamma.language import ITALIAN, target_of
from corefmill.builders.translate.gamma.realise import Realised
from corefmill.builders.translate.source_side.parts import EntityClass
from tests.builders.translate.trees import analysis

realise = partial(gamma_realise.realise, ITALIAN)
HE, SHE = EntityClass("human", "m", "s"), EntityClass("human", "f", "s")
THEY, IT = EntityClass("human", "m", "p"), EntityClass("thing", "m", "s")
IT_F = EntityClass("thing", "f", "s")


def found(
    text: str, word: str, kind: EntityClass, mention: str, tag: str, translated: str | None = None
) -> MentionToPlace:
    start = text.index(word)
    return MentionToPlace(
        (start, start + len(word)), word, kind, tuple(mention.split()), tag, translated
    )


def words(realised: Realised) -> list[str]:
    return [realised.text[placed.start : placed.end] for placed in realised.mentions]


def placed(text: str, kind: EntityClass, mention: str, translated: str) -> MentionToPlace:
    """The mention, written as words/TAG, that belongs in the place of the text's word in {}."""
    before, word, _ = re.split("[{}]", text)
    words, tag = mention.rsplit("/", 1)
    return found(before + word, word, kind, words, tag, translated)


def bracketed(realised: Realised) -> str:
    """The text with its last mention in []."""
    own, text = realised.mentions[-1], realised.text
    return f"{text[: own.start]}[{text[own.start : own.end]}]{text[own.end :]}"


@pytest.mark.parametrize(
    ("text", "translated", "mention", "kind", "expected"),
    [
        ("La casa di {Marco} cade.", "Il presidente", "the president/NN", HE,
         "La casa de[l presidente] cade."),
        ("La casa d'{Anna} cade.", "lo zio", "the uncle/NN", HE, "La casa de[llo zio] cade."),
        ("La casa d’{Anna} cade.", "Lora Owens", "Lora Owens/NNP", SHE,
         "La casa di [Lora Owens] cade."),
        ("Lo diedi ad {Anna}.", "un amico", "a friend/NN", HE, "Lo diedi a [un amico]."),
        ("L'{opera} è rossa.", "Cina", "China/NNP", IT_F, "[La Cina] è rossa."),
        ("Vivo nell'{opera}.", "Cina", "China/NNP", IT_F, "Vivo in [Cina]."),
        ("Marco ed {Anna} vennero.", "Luca", "Luke/NNP", HE, "Marco e [Luca] vennero."),
        ("Dell'{opera} parlai.", "questa macchina", "this car/NN", IT_F,
         "Di [questa macchina] parlai."),
        ("È il carro di {Marco} .", "del presidente", "the president 's/NN", HE,
         "È il carro de[l presidente] ."),
        ("{Marco} arriva.", "L'8 settembre.", "the 8th of September/NN", IT,
         "[L'8 settembre] arriva."),
        ("Cade ne {Roma}.", "il porto", "the harbour/NN", IT, "Cade ne[l porto]."),
        ("Per questo {Roma} cade.", "entrambe le case", "both houses/NNS", THEY,
         "Per questo [entrambe le case] cade."),
        ("È un buon {Marco}.", "studente", "student/NN", HE, "È un buono [studente]."),
        ("Parla di {Marco}.", "FBI", "the FBI/NNP", IT, "Parla de[ll'FBI]."),
    ],
)  # fmt: skip
def test_nominal(
    text: str, translated: str, mention: str, kind: EntityClass, expected: str
) -> None:
    one = placed(text, kind, mention, translated)
    realised = realise(re.sub("[{}]", "", text), [one])
    assert bracketed(realised) == expected
    assert (realised.mentions[0].role, realised.mentions[0].key) == ("nominal", one.key)


@pytest.mark.parametrize(
    ("text", "mention", "translated", "tag", "expected"),
    [
        ("A Roma e qui piove.", "town", "città", "NN", "In città e qui piove."),
        ("Vivo a Roma.", "the town", "la città", "NN", "Vivo nella città."),
        ("Vivo ad Roma.", "a house", "una casa", "NN", "Vivo in una casa."),
        ("Vivo a Roma.", "Canada", "Canada", "NNP", "Vivo nel Canada."),
        ("Vivo a Roma.", "Paris", "Parigi", "NNP", "Vivo a Parigi."),
    ],
)
def test_only_towns_have_the_preposition_of_towns(
    text: str, mention: str, translated: str, tag: str, expected: str
) -> None:
    """A placeholder of places is a town, and `in town` was once `a città`."""
    one = found(text, "Roma", IT_F if mention != "Canada" else IT, mention, tag, translated)
    inside = replace(one, preceding="in")
    assert realise(text, [inside]).text == expected
    in_paper_mode = realise(text, [inside], mode="paper")
    assert in_paper_mode.text == realise(text, [one], mode="paper").text


@pytest.mark.parametrize(
    ("text", "mode", "mention", "tag", "kind", "expected", "role"),
    [
        ("Xeno dorme.", "clean", "He", "PRP", HE, "Lui dorme.", "subject"),
        ("Xeno dorme.", "paper", "He", "PRP", HE, "Egli dorme.", "subject"),
        ("Disse che Xeno dorme.", "clean", "it", "PRP", IT_F, "Disse che essa dorme.", "subject"),
        ("Vide Xeno ieri.", "clean", "it", "PRP", IT, "Vide questo ieri.", "object"),
        ("Vide Xeno ieri.", "paper", "it", "PRP", IT, "Vide esso ieri.", "object"),
        ("Lo diedi ad Xeno.", "clean", "her", "PRP", SHE, "Lo diedi a lei.", "strong"),
        ("Sulla Xeno.", "clean", "it", "PRP", IT_F, "Su di essa.", "strong"),
        ("Senza Xeno.", "clean", "him", "PRP", HE, "Senza di lui.", "strong"),
        ("Quello Xeno è.", "clean", "he", "PRP", HE, "Quello lui è.", "subject"),
        ("Cade Xeno casa.", "clean", "its", "PRP$", IT, "Cade la sua casa.", "possessive"),
        ("Vide Xeno.", "clean", "herself", "PRP", SHE, "Vide se stessa.", "reflexive"),
        ("Xeno è vero.", "clean", "This", "DT", IT, "Questo è vero.", "demonstrative"),
        ("il carro di Xeno.", "clean", "His", "PRP$", HE, "Il suo carro.", "possessive"),
        ("Nell'idea di Xeno.", "clean", "its", "PRP$", IT, "Nella sua idea.", "possessive"),
        ("Le idee di Xeno.", "clean", "his", "PRP$", HE, "Le sue idee.", "possessive"),
        ("Un amico di Xeno.", "clean", "her", "PRP$", SHE, "Un suo amico.", "possessive"),
        ("Parlò di Xeno.", "clean", "his", "PRP$", HE, "Parlò di lui.", "strong"),
    ],
)  # fmt: skip
def test_pronouns_without_a_tree(
    text: str, mode: Mode, mention: str, tag: str, kind: EntityClass, expected: str, role: str
) -> None:
    realised = realise(text, [found(text, "Xeno", kind, mention, tag)], mode=mode)
    assert realised.text == expected
    assert realised.mentions[0].role == role


SEES = analysis("Marco//PROPN/2/nsubj vide/vedere/VERB.fin/0/root Anna//PROPN/2/obj")
HAS_SEEN = analysis(
    "Marco//PROPN/4/nsubj non//ADV/4/advmod ha/avere/AUX.fin/4/aux visto/vedere/VERB.part/0/root "
    "Anna//PROPN/4/obj"
)
WANTS = analysis(
    "Marco//PROPN/3/nsubj vuole/volere/AUX.fin/3/aux vedere//VERB.inf/0/root Anna//PROPN/3/obj"
)
SEEING = analysis(
    "Vedendo/vedere/VERB.ger/5/advcl Anna//PROPN/1/obj ,//PUNCT/1/punct Marco//PROPN/5/nsubj "
    "rise/ridere/VERB.fin/0/root"
)
TELLS_ME = analysis(
    "Marco//PROPN/3/nsubj mi//PRON/3/iobj disse/dire/VERB.fin/0/root Anna//PROPN/3/obj"
)
TELLS_HIM = analysis(
    "Marco//PROPN/3/nsubj gli//PRON/3/iobj diede/mostrarsi/VERB.fin/0/root Anna//PROPN/3/obj"
)
ABSOLUTE = analysis(
    "Vista/vedere/VERB.part/4/advcl Anna//PROPN/1/obj ,//PUNCT/1/punct rise/ridere/VERB.fin/0/root"
)
SAID = analysis("Marco//PROPN/2/nsubj disse/dire/VERB.fin/0/root Anna//PROPN/2/obj")


@pytest.mark.parametrize(
    ("tree", "mention", "kind", "expected", "role"),
    [
        (SEES, "him", HE, "Marco lo vide.", "clitic"),
        (SEES, "herself", SHE, "Marco si vide.", "reflexive"),
        (HAS_SEEN, "himself", HE, "Marco non ha visto se stesso.", "reflexive"),
        (WANTS, "her", SHE, "Marco vuole vederla.", "enclitic"),
        (SEEING, "him", HE, "Vedendolo, Marco rise.", "enclitic"),
        (TELLS_ME, "it", IT, "Marco me lo disse.", "clitic"),
        (TELLS_HIM, "it", IT, "Marco glielo diede.", "clitic"),
        (ABSOLUTE, "her", SHE, "Vista lei, rise.", "object"),
        (SAID, "her", SHE, "Marco le disse.", "clitic"),
        (SAID, "She", SHE, "Marco disse lei.", "subject"),
        (HAS_SEEN, "her", SHE, "Marco non l'ha vista.", "clitic"),
    ],
)  # fmt: skip
def test_objects_lean_on_their_verb(
    tree: Analysis, mention: str, kind: EntityClass, expected: str, role: str
) -> None:
    own = [found(tree.text, "Anna", kind, mention, "PRP")]
    realised = realise(tree.text, own, tree)
    assert realised.text == expected
    assert realised.mentions[0].role == role
    if role in ("enclitic", "clitic"):
        assert words(realised)[0].lower() in ("lo", "la", "li", "le", "l'")
    in_place = realise(tree.text, own, tree, mode="paper")
    assert in_place.mentions[0].role in ("subject", "object", "reflexive")


def test_a_dative_keeps_its_place_where_no_verb_is_found() -> None:
    text = "Diede Anna il libro."
    one = replace(found(text, "Anna", SHE, "her", "PRP"), relation="iobj")
    assert bracketed(realise(text, [one])) == "Diede a [lei] il libro."


@pytest.mark.parametrize(
    ("relation", "expected"),
    [("appos", "Il presidente stesso venne."), ("advmod", "Il presidente lui stesso venne.")],
)
def test_emphatic_pronouns(relation: str, expected: str) -> None:
    text = "Il presidente Marco venne."
    one = replace(found(text, "Marco", HE, "himself", "PRP"), relation=relation)
    realised = realise(text, [one])
    assert (realised.text, realised.mentions[0].role) == (expected, "emphatic")


@pytest.mark.parametrize(
    ("rows", "expected", "role"),
    [
        ("Andò/andare/VERB.fin/0/root a//ADP/3/case casa//NOUN.fs/1/obl di//ADP/5/case "
         "Anna//PROPN/3/nmod",
         "Andò a casa [sua].", "possessive_after"),
        ("Una/uno/DET.fs/2/det copia//NOUN.fs/0/root del//DET.ms/5/det nuovo//ADJ.ms/5/amod "
         "libro//NOUN.ms/2/nmod di//ADP/7/case Anna//PROPN/5/nmod",
         "Una copia del [suo] nuovo libro.", "possessive"),
        ("Penso/pensare/VERB.fin/0/root che//SCONJ/6/mark per//ADP/4/case Anna//PROPN/6/obl "
         "madre//NOUN.fs/4/nmod va/andare/VERB.fin/1/ccomp bene//ADV/6/advmod",
         "Penso che per la [sua] madre va bene.", "possessive"),
        ("La/il/DET.fs/2/det tosse//NOUN.fp/5/nsubj di//ADP/4/case Anna//PROPN/2/nmod "
         "cresce/crescere/VERB.fin/0/root",
         "La [sua] tosse cresce.", "possessive"),
    ],
    ids=["no determiner", "its own noun's determiner", "English order", "the article decides"],
)  # fmt: skip
def test_possessives(rows: str, expected: str, role: str) -> None:
    tree = analysis(rows)
    realised = realise(tree.text, [found(tree.text, "Anna", HE, "his", "PRP$")], tree)
    assert bracketed(realised) == expected
    assert realised.mentions[0].role == role


PRESIDENT = ("the president", "NN", "il presidente")


@pytest.mark.parametrize(
    ("text", "own", "expected"),
    [
        ("Vide [la casa di Marco] ieri.", PRESIDENT, "Vide [la casa del presidente] ieri."),
        ("Vide [la casa di Marco] ieri.", ("his", "PRP$"), "Vide [la sua casa] ieri."),
        ("Parlò di [Marco e Anna].", PRESIDENT, "Parlò de[l presidente e Anna]."),
        ("Parlò di Marco e con [me].", PRESIDENT, "Parlò del presidente e con [me]."),
        ("[Io] vidi Marco.", PRESIDENT, "[Io] vidi il presidente."),
    ],
)
def test_what_stands_around_a_mention_holds_it_still(
    text: str, own: tuple[str, ...], expected: str
) -> None:
    span = (text.index("["), text.index("]") - 1)
    text = re.sub(r"[][]", "", text)
    made = realise(text, [found(text, "Marco", HE, *own)], None, around={"9:0": span})
    assert bracketed(made) == expected
    assert made.mentions[-1].role == "marked"


def test_a_capital_follows_the_end_of_a_sentence() -> None:
    text = "Rise. Marco dorme. Poi Anna tace."
    both = [found(text, "Marco", HE, "He", "PRP"), found(text, "Anna", HE, "he", "PRP")]
    assert realise(text, both).text == "Rise. Lui dorme. Poi lui tace."


CONTENT = ["dorme", "vide", "ieri", "città", "𝐱", "naïve", "8/11", "(", "»", ",", "«"]
FUNCTION = [
    "la", "il", "gli", "di", "d'", "ad", "ed", "nell'",
    "dello", "con", "un'", "senza", "su", "del", "los", "detrás",
]  # fmt: skip
MENTIONS = [
    ("He", "PRP", None), ("him", "PRP", None), ("it", "PRP", None), ("himself", "PRP", None),
    ("That", "DT", None), ("China", "NNP", "Cina"), ("the uncle", "NN", "Lo zio"),
    ("an idea", "NN", "un'idea."), ("cars", "NNS", "macchine"), ("Kofi Annan", "NNP", ""),
    ("the 8th", "NN", "l'8"), ("the man 's", "NN", "dell'uomo"),
]  # fmt: skip
KINDS = st.builds(
    EntityClass, st.sampled_from(["human", "thing"]), st.sampled_from("mf"), st.sampled_from("sp")
)


@st.composite
def utterances(draw: st.DrawFn) -> tuple[str, list[MentionToPlace]]:
    """Words with placeholders X0, X1 ... between, each to be one of MENTIONS."""
    text, mentions = "", []
    for number in range(draw(st.integers(1, 4))):
        for word in draw(st.lists(st.sampled_from([*CONTENT, *FUNCTION]), max_size=4)):
            text += word + ("" if word.endswith("'") else " ")
        mention, tag, translated = draw(st.sampled_from(MENTIONS))
        kind = draw(KINDS)
        span = (len(text), len(text) + 2)
        text += f"X{number} "
        mentions.append(
            MentionToPlace(span, str(number), kind, tuple(mention.split()), tag, translated)
        )
    return text + draw(st.sampled_from(["", "."])), mentions


def contents(text: str) -> list[str]:
    """The words that stand in no table, in small letters."""
    return [word for word in re.split(r"[\s']+", text.lower()) if word in CONTENT]


@pytest.mark.thorough
@given(
    utterances(),
    st.sampled_from(["clean", "paper"]),
    st.booleans(),
    st.sampled_from(["it", "es"]),
)
def test_spans_are_the_mentions_and_the_rest_stays(
    utterance: tuple[str, list[MentionToPlace]], mode: Mode, capitalised: bool, lang: str
) -> None:
    text, mentions = utterance
    into = target_of("en", lang)
    realised = gamma_realise.realise(into, text, mentions, mode=mode, capitalised=capitalised)
    assert len(realised.mentions) == len(mentions)
    end, outside = 0, ""
    for placed, one in zip(realised.mentions, mentions, strict=True):
        assert placed.key == one.key
        assert end <= placed.start < placed.end <= len(realised.text)
        inside = realised.text[placed.start : placed.end]
        assert inside == inside.strip()
        assert re.search(r"X\d", inside) is None
        if placed.role == "nominal":
            last = (one.translation or " ".join(one.words)).strip(".").split()[-1]
            assert inside.lower().endswith(re.split("'", last.lower())[-1])
        outside += realised.text[end : placed.start] + " "
        end = placed.end
    outside += realised.text[end:]
    before = re.sub(r"X\d", " ", text)
    assert contents(outside) == contents(before)


GAVE = analysis(
    "Diede/dare/VERB.fin/0/root ad/a/ADP/3/case Anna//PROPN/1/obl il//DET.ms/5/det "
    "libro//NOUN.ms/1/obj"
)
WENT = analysis("Andò/andare/VERB.fin/0/root ad/a/ADP/3/case Anna//PROPN/1/obl")
AFTER = analysis("Dopo/dopo/ADP/2/case Anna//PROPN/3/nsubj venne/venire/VERB.fin/0/root")
INSIDE = analysis("Dentro/dentro/ADP/2/case Anna//PROPN/3/obl cade/cadere/VERB.fin/0/root")
DEEMED = analysis(
    "Marco//PROPN/2/nsubj considera/considerare/VERB.fin/0/root Anna//PROPN/2/obj "
    "una/uno/DET.fs/5/det vittima//NOUN.fs/2/xcomp"
)


@pytest.mark.parametrize(
    ("tree", "mention", "relation", "expected", "role"),
    [
        (GAVE, "her", "iobj", "Le diede il libro.", "clitic"),
        (WENT, "her", "obl", "Andò a lei.", "strong"),
        (AFTER, "she", "nsubj", "Dopo lei venne.", "subject"),
        (AFTER, "her", "obl", "Dopo di lei venne.", "strong"),
        (INSIDE, "it", "nsubj", "Dentro di essa cade.", "strong"),
        (DEEMED, "her", "iobj", "Marco la considera una vittima.", "clitic"),
    ],
)  # fmt: skip
def test_what_a_preposition_or_a_verb_makes_of_a_pronoun(
    tree: Analysis, mention: str, relation: str, expected: str, role: str
) -> None:
    kind = IT_F if mention == "it" else SHE
    one = replace(found(tree.text, "Anna", kind, mention, "PRP"), relation=relation)
    realised = realise(tree.text, [one], tree)
    assert (realised.text, realised.mentions[0].role) == (expected, role)


@pytest.mark.parametrize(
    ("phrase", "preposition", "kind", "expected"),
    [
        ("i disturbi", "di", "cuore", "Ora ha i suoi disturbi di cuore."),
        ("disturbi", "di", "cuore", "Ora ha i suoi disturbi di cuore."),
        ("disturbi", "da", "fumo", "Ora ha i suoi disturbi da fumo."),
        ("disturbi", "per", "fumo", "Ora ha disturbi per fumo suo."),
    ],
)
def test_what_is_possessed_is_no_noun_that_says_of_what_kind_another_is(
    phrase: str, preposition: str, kind: str, expected: str
) -> None:
    article = phrase.startswith("i ")
    noun = 4 if article else 3
    tree = analysis(
        "Ora/ora/ADV/2/advmod ha/avere/VERB.fin/0/root "
        + f"i/il/DET.mp/{noun}/det " * article
        + f"disturbi/disturbo/NOUN.mp/2/obj {preposition}//ADP/{noun + 2}/case "
        f"{kind}//NOUN.ms/{noun}/nmod di//ADP/{noun + 4}/case Marco//PROPN/{noun + 2}/nmod"
    )
    realised = realise(tree.text, [found(tree.text, "Marco", HE, "his", "PRP$")], tree)
    assert realised.text == expected
    assert words(realised)[0] in ("suoi", "suo")


@pytest.mark.parametrize(("mode", "expected"), [
    ("clean", "CAPITOLO I il presidente dorme."), ("paper", "CAPITOLO il presidente dorme."),
])  # fmt: skip
def test_a_numeral_is_no_article(mode: Mode, expected: str) -> None:
    text = "CAPITOLO I Marco dorme."
    one = found(text, "Marco", HE, "The president", "NN", "Il presidente")
    assert realise(text, [one], mode=mode).text == expected


def test_the_subject_of_a_clause_without_a_finite_verb_is_an_object() -> None:
    tree = analysis("Facesti/fare/VERB.fin/0/root Anna//PROPN/1/obj triste//ADJ/1/xcomp")
    one = replace(found(tree.text, "Anna", SHE, "her", "PRP"), relation="nsubj")
    assert realise(tree.text, [one], tree).text == "La facesti triste."
    assert realise(tree.text, [one], mode="paper").text == "Facesti lei triste."
