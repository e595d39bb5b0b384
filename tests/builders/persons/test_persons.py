"""What a document says of its persons: their gender, and which names are one person's."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from corefmill.builders.persons import table
from corefmill.builders.persons.gender import FORMS, Genders, GenderTally
from corefmill.builders.persons.persons import KnownGender
from corefmill.builders.persons.table import Gender, load
from corefmill.builders.persons.usage import Usage
from corefmill.corpora.records import MaskedExample
from tests.builders.corpus.finished import example
from tests.builders.persons.documents import persons
from tests.builders.rows import rows
from tests.builders.wikicrem.passages import analysed, article

BERG = "Anna van den Berg kwam. Toen riep Van den Berg. Piet van den Heuvel sliep."
ANNA_PETER = "Dort sah Anna den Wald. Hier sah Peter ihn. " * 30
CHANCE = f"{ANNA_PETER}\nIch weiß, daß Anna Peter liebt."
ROSSI = "La signora Rossi vide don Verdi."


@pytest.mark.parametrize(
    ("lang", "name", "text", "form", "reason"),
    [
        ("en", "Mrs. Weston", "", "female", "honorific"),
        ("en", "Sir Anne", "", "male", "honorific"),
        # A surname that the list of given names calls a man's.
        ("en", "Weston", "Anne Weston came.", "female", "given name"),
        ("en", "Weston", "Mr. Weston saw Mrs. Weston.", None, "either"),
        ("en", "Weston", "Anne Weston saw John Weston.", None, "either"),
        ("en", "Weston", "", None, "unknown"),  # of one list of given names, and of surnames
        ("en", "Lincoln", "", "male", "list"),
        ("en", "Weston", "Weston lost her hat. " * 3, "female", "pronouns"),
        ("en", "Dr. Lane", "Mrs. Lane and Dr. Lane.", None, "unknown"),
        ("en", "Qorl", "Will Qorl go? They will, they will.", None, "unknown"),
        ("en", "Qorl", "When Qorl ate, she slept. So did he. Qorl and she ran. Qorl fed her.",
         "female", "pronouns"),
        # The list calls Bertie a woman's; Albert and Herbert are men's.
        ("en", "Bertie", "", "male", "list"),
        ("en", "Bertie Lane", "", "male", "given name"),
        # Of George or of Georgiana; of Henry or of Henrietta, but listed as a man's alone.
        ("en", "Georgie", "", None, "either"),
        ("en", "Harry Lane", "", "male", "mostly"),
        ("en", "Harry Lane", "Harry lost her hat. " * 3 + "Harry Lane!", "female", "pronouns"),
        # Three pronouns are enough for a surname, and not against a given name.
        ("en", "Dick", "Dick saw her. " * 3, "male", "list"),
        ("en", "Dick", "Dick saw her. " * 11, "male", "list"),
        ("en", "Dick", "Dick lost her hat. " * 12, "female", "pronouns"),
        ("en", "Dick", "Dick lost his hat. " * 3, "male", "pronouns"),
        ("it", "Rossi", ROSSI, "female", "honorific"),
        ("it", "Verdi", ROSSI, "male", "honorific"),
        # A frequent given name is not contradicted by a few pronouns.
        ("it", "Marianna", "Marianna vide Carlo ed egli tacque. "
         + "Marianna pianse, ed egli tacque. " * 3, "female", "list"),
        ("pl", "Kowalska", "", "female", "ending"),
        ("pl", "Zieliński", "", "male", "ending"),
        ("pl", "pani Nowak", "", "female", "honorific"),
        # The honorific stands in the genitive elsewhere.
        ("pl", "Nowak", "List od pani Nowak leżał obok.", "female", "honorific"),
        # The given name stands in the dative.
        ("pl", "Wilk", "Podał rękę Barbarze Wilk.", "female", "given name"),
        ("nl", "van den Berg", BERG, "female", "given name"),
        ("de", "Peter", CHANCE, "male", "pronouns"),
        # A noun before a given name makes it no surname.
        ("de", "Walter", "Dort ging Walter. " * 10 + "\nDa kam die Tobsucht Walters. " * 2,
         "male", "list"),
        # Kin before a genitive are somebody else, and one honorific outweighs no listed name.
        ("de", "Witiko", "Witiko kam.\nDa weinte die Mutter Witikos.", None, "unknown"),
        ("de", "Witiko", "Witiko kam.\nDas Haus Herrn Witikos fiel.", "male", "honorific"),
        ("de", "Wolfgang", "Wolfgang kam. Da weinte Tante Wolfgang.", None, "either"),
        ("fr", "Mme de Morval", "M. de Morval aima Mme de Morval.", "female", "honorific"),
        ("fr", "Qorl", "Vint M. le baron Qorl.", "male", "honorific"),
        ("fr", "Qorl", "Vint le père de Qorl.", None, "unknown"),
        ("fr", "Qorl", "Qorl mangea, dit-elle. Qorl crut qu'elle dormait. Puis Qorl dit ce qu'elle"
         " vit.", "female", "pronouns"),
        ("es", "Qorl", "Qorl rio. Ella calló. Qorl vio que ella dormía. Con Qorl iba ella.",
         "female", "pronouns"),
        # Whoever follows a dash is another.
        ("es", "Qorl", "—Ven —dijo Qorl—. Ella está. " * 4, None, "unknown"),
        ("pt", "Qorl", "Veio a sr.ª Qorl.", "female", "honorific"),
        ("pt", "D. Qorl", "", None, "unknown"),
    ],
)  # fmt: skip
def test_gender(lang: str, name: str, text: str, form: Gender | None, reason: str) -> None:
    assert persons(lang, *text.splitlines()).find_gender(name) == KnownGender(form, reason)


def test_an_aunt_and_a_niece_who_meet_in_sentences_are_two() -> None:
    named = "Emma Lane came. Emma Lane went. " * 2
    for times, same in ((4, True), (5, False)):
        seen = persons("en", named + "Miss Lane looked at Emma, and Mr. Hill left. " * times)
        assert seen.are_same("Emma", "Miss Lane") is same, times
    apart = "Emma was late. Miss Lane was not. "
    assert persons("en", named + apart * 9).are_same("Emma", "Miss Lane")
    seldom = "Miss Lane looked at Emma. " * 5 + "Miss Lane left. " * 50
    assert persons("en", named + seldom).are_same("Emma", "Miss Lane")


TEXTS = {
    "LANE": "Emma Lane was young, Susan Lane was not, and Emma Lane left."
    " It was Nobbs, also known as “Zed”.",
    "HONORE": "Honoré de Balzac sortit.",
    "BERG": BERG,
    "CHANCE": CHANCE,
    "HOLM": ANNA_PETER + "\n" + "Anna Holm kam. " * 3 + "Holm ging. " * 9,
    "TOUCH": "Da sah Olivo Casanova kommen. " * 3,
    "MEET": "Da sah Olivo Casanova kommen. " * 3 + "Casanova kannte Olivo. " * 5,
}


@pytest.mark.parametrize(
    ("lang", "text", "one", "other", "same"),
    rows("""
        en  LANE  Emma  Miss Lane  yes
        en  LANE  Susan  Miss Lane  no
        en  LANE  Emma  Mrs. Lane  no
        en  LANE  Mrs. Lane  Miss Lane  no
        en  LANE  Dr. Lane  Mr. Lane  yes
        en  LANE  Will  Bill  yes
        en  LANE  Will Hill  William Mill  no
        en  LANE  Bill Hill  William Hill  yes
        en  LANE  Qorlsey  Qorlstan  yes
        en  LANE  Mary  Marian  no
        en  LANE  Nobbs  Zed  yes
        en  LANE  Zed  Will  no
        en  LANE  Emma  Mr. Lane  no
        en  LANE  Emma Lane  Susan Lane  no
        en  LANE  Emma  Susan  no
        en  LANE  Lane  Emma  yes
        # Whoever calls somebody is somebody else.
        en  Nobbs, called Zed, left.  Nobbs  Zed  yes
        en  Nobbs (also called Zed) left.  Nobbs  Zed  yes
        en  Nobbs called Zed back.  Nobbs  Zed  no
        en  Nobbs had named Zed.  Nobbs  Zed  no
        en  Nobbs, who called Zed, left.  Nobbs  Zed  no
        en  Nobbs, called Zeddy, left.  Nobbs  Zed  no
        fr  HONORE  Marguerite  Margot  yes
        fr  HONORE  Honoré  Balzac  yes
        fr  HONORE  M. de Morval  Mme de Tourvel  no
        es  HONORE  Gabriel  Ruiz Montes  no
        es  HONORE  Ruiz Montes  Ruiz Lorca  no
        es  HONORE  Ruiz y Lagos  Ruiz  yes
        es  HONORE  Vega y Lagos  Ruiz y Soto  no
        es  HONORE  María de la Vega  Ana de la Torre  no
        es  HONORE  Sabel  Sabelita  yes
        es  HONORE  Juan  Juana  no
        pt  HONORE  Maria dos Santos  Pedro dos Reis  no
        pt  HONORE  José da Silva  José de Sousa  no
        pt  HONORE  José Costa e Silva  Costa e Silva  yes
        # Dutch names are told apart by the last word.
        nl  BERG  Anna van den Berg  van den Berg  yes
        nl  BERG  Anna  van den Berg  yes
        nl  BERG  Piet  van den Berg  no
        nl  BERG  Anna van den Berg  Piet van den Heuvel  no
        # A pet form is the person in any case.
        pl  Zofia Lis, zwana Sową, spała.  Zosia  Zofia  yes
        pl  Zofia Lis, zwana Sową, spała.  Zofia Lis  Sowa  yes
        pl  Zofia Lis, zwana Sową, spała.  Zosia  Anna  no
        # Names that touch by chance, and names that touch and meet, are two persons.
        de  CHANCE  Anna  Peter  no
        de  HOLM  Anna  Holm  yes
        de  TOUCH  Olivo  Casanova  yes
        de  MEET  Olivo  Casanova  no
    """),
)
def test_one_person_under_two_names(lang: str, text: str, one: str, other: str, same: bool) -> None:
    seen = persons(lang, *TEXTS.get(text, text).splitlines())
    assert seen.are_same(one, other) is seen.are_same(other, one) is same


@pytest.mark.parametrize(
    ("lang", "name", "gender"),
    [
        ("en", "Susan", "female"),
        ("en", "SUSAN", "female"),
        ("en", "Susan Smith", "female"),
        ("en", "Mary", "female"),
        ("en", "Mr. John Smith", "male"),
        ("en", "Smith", "unknown"),
        ("en", "Aunt", "unknown"),  # an honorific alone has no first name
        ("en", "Andrea", "female"),
        ("it", "Andrea", "male"),  # the language decides
        ("xx", "Simone", "mostly_female"),  # a language without lists, the usage of all
        ("fr", "Édouard", "male"),  # listed without the accent of its capital
        ("en", "Zzz", "unknown"),
    ],
)
def test_a_name_has_a_gender(lang: str, name: str, gender: str) -> None:
    genders = Genders(lang, load("en"))
    assert genders.find_gender(name) == genders.find_gender(name) == gender


def named(name: str) -> MaskedExample:
    return replace(example(), candidates=(name, "Bob"))


def test_the_tally_counts_the_right_candidate() -> None:
    tally = GenderTally("en")
    for name in ("Mary", "Susan", "John", "Zzz"):
        tally.watch(named(name))
    tally.watch(replace(named("Mary"), label=None))
    assert tally.counts() == {"female": 2, "male": 1, "unknown": 1}
    section = tally.section()
    rows = [line for line in section if line.startswith("| ")]
    assert rows == ["| gender | examples |", "| male | 1 |", "| female | 2 |", "| unknown | 1 |"]
    assert section[-1].startswith("Male or mostly male 1, female or mostly female 2; ")
    assert "= 2.00 " in section[-1]
    women = GenderTally("en")
    women.watch(named("Mary"))
    assert women.section()[-1] == "Male or mostly male 0, female or mostly female 1."  # no ratio


def test_what_the_builder_found_counts_before_the_name() -> None:
    tally = GenderTally("en")
    known = [("female", "honorific"), ("female", "mostly"), ("male", "mostly")]
    for form, reason in (*known, (None, "either"), (None, "unknown")):
        meta = KnownGender(form, reason).as_meta()  # type: ignore[arg-type]
        tally.watch(replace(named("John"), meta=meta))
    tally.watch(named("John"))  # of before such records were made
    by = {"either": 1, "honorific": 1, "mostly": 2, "unknown": 1}
    assert tally.counts() == {**dict.fromkeys(FORMS, 1), "by": by}


def test_the_share_of_places_where_a_name_is_called_a_person() -> None:
    line = "[Ann] and [Ann Day] saw Ann, Anne and Ann-Marie. | Bob came."
    seen = Usage(article(), [analysed(line)])
    assert seen.compute_person_share("Ann") == 2 / 4
    assert seen.compute_person_share("Bob") == 0
    assert seen.compute_person_share("Cyd") == 1  # nothing tells


def test_only_prose_counts_as_use() -> None:
    made = article("Ann left.", "They saw Ann.")
    made.paragraphs[1].kind = "list"
    assert not Usage(made, []).stands_within_sentence("Ann")


@pytest.mark.parametrize("lang", ["en", "pl"])
def test_capitals_find_what_a_search_of_the_whole_text_finds(lang: str) -> None:
    text = (
        "Ann saw Annie. McAnn, d'Artagnan and Ann-Marie met iAnn; Ann's Ann_ is (Ann). Éva, Anna B."
        " \U0001e900\U0001e922 met Mrs. Ann and the ann of Old Ann"
    )
    seen = Usage(article(text), [], table.load(lang))
    names = ("Ann", "Éva", "d'Artagnan", "Ann-Marie", "Mrs. Ann", "B.", "ann", "Anna B")
    for name in (*names, "\U0001e900\U0001e922", "Artagnan", "Old Ann", "Nobody"):
        spans = [m.span() for m in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text)]
        assert [*seen._find_offsets(name, text)] == [start for start, _ in spans], name
