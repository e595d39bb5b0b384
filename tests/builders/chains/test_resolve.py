"""Whom names and pronouns mean, and what leaves it in doubt: one sentence a reason."""

from __future__ import annotations

import pytest

from corefmill.builders.chains.stages import sentences_to_parse
from corefmill.builders.wiki.markup.records import Link
from tests.builders.chains.parses import read, resolved, told
from tests.builders.rows import rows


def test_a_pronoun_is_the_one_person_of_its_gender() -> None:
    sentences, _ = resolved([read(["[Martha] met [John] .", "She smiled , and he bowed to her ."])])
    assert told(sentences) == ["Martha 1", "John 0", "She 1", "he 0", "her 1"]
    evidence = [one.evidence for one in sentences[1].referents]
    assert evidence == ["name_sentence_before"] * 2 + ["pronoun_same_sentence"]


@pytest.mark.parametrize(
    ("lang", "lines", "relations", "wanted"),
    rows("""
        en  [Martha] met [Anna] . / She smiled .  ''  Martha 1, Anna 0, She two_persons
        en  [Martha] sang . / It rained . / She smiled .  ''  Martha 0, She nobody_before
        en  [Martha] met Quorl/PROPN . / She smiled .  ''  Martha 0, She noun_between
        en  [John] sang . / The Captain/PROPN bowed . / He smiled .  ''  John 0, He noun_between
        en  [Martha] sang . / As she met [Anna] , they ran .  ''
            Martha 1, she name_behind, Anna 0
        # Nobody but a reflexive is in the own subject's clause.
        en  [Martha] saw her .  saw nsubj Martha; saw obj her  Martha 0, her own_subject
        en  [Martha] saw herself .  saw nsubj Martha; saw obj herself  Martha 0, herself 0
        # A clause without a subject has that of the clause above; a possessive may mean it.
        en  [Martha] hated arguing with her .
            hated nsubj Martha; hated xcomp arguing; arguing obl her  Martha 0, her own_subject
        en  [Martha] saw the use of asking her .
            saw nsubj Martha; saw obj use; use acl asking; asking obj her  Martha 0, her own_subject
        en  [Martha] sang her song .  sang nsubj Martha; sang obj song; song nmod:poss her
            Martha 0, her 0
        en  [Martha] sang . / She saw [Martha] .  saw nsubj She; saw obj Martha
            Martha 0, She 0, Martha own_subject
        # Where subjects are unsaid, a pronoun may mean one of these.
        it  [Martha] cantava . / Poi ella rise .  cantava nsubj Martha  Martha 0, ella 0
        it  Poi vide [Martha] . / Poi ella rise .  vide obj Martha  Martha 0, ella unsaid_subject
        it  [Martha] trasalì . / Poi ella rise .  ''  Martha 0, ella 0
        # A name may be a thing's.
        en  And the [Martha] sank . / She cried .  ''  Martha names_thing, She gender_unknown
        # A word of a name where none was seen is in doubt.
        en  [Martha Lang] sang . / Lang/X smiled .  ''  Martha Lang 0, Lang unseen_name
        # German "sie" may be several; "Sie" is nobody.
        de  [Anna] sang . / Dann kam sie/PRON .  ''  Anna 0, sie perhaps_plural
        de  [Anna] sang . / Dann kam Sie/PRON .  ''  Anna 0
        # A surname of two is nobody's for sure.
        en  [Martha Lang] met [John Lang] . / [Lang] bowed .  ''
            Martha Lang 1, John Lang 0, Lang ambiguous_name
        # A married woman is not taken for her daughter.
        en  [Mrs. Lang] met [Martha Lang] .  ''  Mrs. Lang 1, Martha Lang 0
        # Of sisters the eldest is called by the surname alone; of a man it says nothing.
        en  [Miss Lang] met [Miss Martha Lang] .  ''  Miss Lang 1, Miss Martha Lang 0
        en  [Mr. Lang] is [Mr. John Lang] .  ''  Mr. Lang 0, Mr. John Lang 0
    """),
)
def test_what_is_linked_and_what_in_doubt(
    lang: str, lines: str, relations: str, wanted: str
) -> None:
    sentences, _ = resolved([read(lines.split(" / "), relations)], lang)
    assert ", ".join(told(sentences)) == wanted


def test_without_nouns_there_are_only_fewer_doubts() -> None:
    lines = [read(["[Martha] met the doctor/NOUN .", "She smiled .", "[Quorl] saw her ."])]
    every, _ = resolved(lines)
    fewer, _ = resolved(lines, names_alone=True)
    assert "She noun_between" in told(every) and "She 0" in told(fewer)
    for one, other in zip(told(every), told(fewer), strict=True):
        assert one == other or not other.split()[-1].isalpha()


@pytest.mark.parametrize(
    ("lines", "parsed"),
    rows("""
        # What has no chain needs no tree.
        [Martha] sang . / It rained . / [John] slept .  ''
        # Nouns of "It rained" might be meant.
        So it was . / It rained . / [Martha] sang as she slept . / So it was .  It Martha
        # What stands between two links of a chain is parsed.
        [Martha] sang . / It rained . / [Martha] slept . / So it was .  Martha It Martha
        # The third sentence is in doubt; in the second a noun might be meant by "she" of the last.
        [Martha] sang . / She met him . / She slept as she sang . / So it was .  Martha She She
    """),
)
def test_sentences_whose_trees_can_change_a_document_are_parsed(lines: str, parsed: str) -> None:
    sentences, _ = resolved([read([line]) for line in lines.split(" / ")], names_alone=True)
    texts = [one.paragraph.read.text for one in sentences_to_parse(sentences, 0.0)]
    assert " ".join(text.split()[0] for text in texts) == parsed


def test_parts_of_a_name_are_one_person() -> None:
    sentences, people = resolved(
        [read(["[Martha Lang] sang .", "[Lang] bowed .", "[Martha] left ."])]
    )
    assert told(sentences) == ["Martha Lang 0", "Lang 0", "Martha 0"]
    assert people.found[0].gender == "female"
    evidence = [one.evidence for sentence in sentences for one in sentence.referents]
    assert evidence[:2] == ["", "part_of_name"]


def test_links_to_two_articles_are_two_persons() -> None:
    text = read(["[Martha Lang] met [Lang] ."])
    assert len(resolved([text])[1].found) == 1
    links = [Link(0, 11, "Martha Lang", None), Link(16, 20, "Fritz Lang", None)]
    assert len(resolved([text], links=links)[1].found) == 2
