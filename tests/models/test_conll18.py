"""The CoNLL-18 measures on words written here; expected values are the fractions they are."""

from models.training.conll18 import Tally, Word, align


def _word(start: int, end: int, form: str, head: int = -1, **own: object) -> Word:
    kept = {"multiword": False, "lemma": form, "upos": "X", "feats": "", "deprel": "dep", **own}
    return Word(start=start, end=end, form=form, head=head, **kept)  # type: ignore[arg-type]


# "del re": di + il | re
GOLD = [
    _word(0, 3, "di", 2, multiword=True),
    _word(0, 3, "il", 2, multiword=True),
    _word(3, 5, "re", -1, deprel="root"),
]


def test_words_of_a_multiword_token_match_by_form() -> None:
    assert align(GOLD, GOLD) == [(0, 0), (1, 1), (2, 2)]
    whole = [_word(0, 3, "del", 1), _word(3, 5, "re", -1, deprel="ROOT")]
    assert align(GOLD, whole) == [(2, 1)]
    part = [_word(0, 3, "di", 1), _word(3, 5, "re", -1)]
    assert align(GOLD, part) == [(0, 0), (2, 1)]


def test_words_elsewhere_match_by_their_characters() -> None:
    gold = [_word(0, 2, "ab"), _word(2, 3, "c"), _word(3, 5, "de")]
    found = [_word(0, 1, "a"), _word(1, 2, "b"), _word(2, 3, "c"), _word(3, 5, "de")]
    assert align(gold, found) == [(1, 2), (2, 3)]


def test_scores_are_f1_over_both_sides() -> None:
    tally = Tally()
    tally.add(GOLD, [_word(0, 3, "del", 1), _word(3, 5, "re", -1, deprel="ROOT")])
    assert tally.f1()["words"] == 2 * 1 / (3 + 2)
    assert tally.f1()["LAS"] == 2 * 1 / (3 + 2)
    assert tally.counts("UPOS") == (1, 2, 3)


def test_subtypes_and_other_features_do_not_count() -> None:
    gold = [_word(0, 1, "a", deprel="nsubj:pass", feats="Gender=Fem|Clitic=Yes")]
    found = [_word(0, 1, "a", deprel="nsubj", feats="Gender=Fem")]
    tally = Tally()
    tally.add(gold, found)
    assert (tally.f1()["LAS"], tally.f1()["UFeats"]) == (1.0, 1.0)
