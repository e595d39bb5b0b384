"""The CoNLL 2018 rules, on cases small enough to score by hand; F1s are 2 * right / (both)."""

from __future__ import annotations

from fractions import Fraction

import pytest

from corefmill.builders.nlp.analysis import Analysis
from corefmill.builders.nlp.counts import MatchCounts
from corefmill.builders.nlp.evaluate_ud import Scores, aligned, evaluate
from corefmill.builders.nlp.ud_words import Side, Word, on_gold_words, squeezed, system


def side(*sentences: str, lacks: frozenset[str] = frozenset()) -> Side:
    """Sentences of `written` or `written=word+word` tokens, all hanging on their first word."""
    words: list[Word] = []
    tokens: list[tuple[int, int]] = []
    bounds: list[tuple[int, int]] = []
    at = 0
    for sentence in sentences:
        first, begin = len(words), at
        for token in sentence.split():
            written, _, expanded = token.partition("=")
            forms = expanded.split("+") if expanded else [written]
            for form in forms:
                head = None if len(words) == first else first
                relation = "root" if head is None else "dep"
                words.append(
                    Word(at, at + len(written), len(forms) > 1, form, head=head, deprel=relation)
                )
            tokens.append((at, at + len(written)))
            at += len(written)
        bounds.append((begin, at))
    return Side(tuple(words), tuple(tokens), tuple(bounds), lacks)


def scored(gold: Side, found: Side) -> Scores:
    return evaluate([(gold, found)])


def f1(scores: Scores, metric: str) -> Fraction:
    counts = scores.metrics[metric]
    assert counts is not None
    assert counts.f1 == pytest.approx(2 * counts.right / (counts.system + counts.gold))
    return Fraction(2 * counts.right, counts.system + counts.gold)


def test_what_is_the_same_is_all_right() -> None:
    gold = side("Vado nella=in+la casa .", "Lei ride")
    assert all(f1(scored(gold, gold), metric) == 1 for metric in scored(gold, gold).metrics)


def test_other_cuts_cost_precision_and_recall() -> None:
    # gold   [e][-mail][s]     3 words      system [e-mails]   1 word
    #        [now]             1                   [now]       1
    scores = scored(side("e -mail s now"), side("e-mails now"))
    assert scores.metrics["Words"] == MatchCounts(right=1, system=2, gold=4)
    assert f1(scores, "Words") == f1(scores, "Tokens") == Fraction(2, 6)
    # "now" is right, but what it hangs on is no word of the gold standard.
    assert f1(scores, "UAS") == 0


def test_words_of_a_multiword_token_match_by_their_forms() -> None:
    # gold   [nella: in la] casa      system [nella: In lla] casa
    scores = scored(side("nella=in+la casa"), side("nella=In+lla casa"))
    assert scores.metrics["Words"] == MatchCounts(2, 3, 3)  # in, casa
    assert f1(scores, "Tokens") == 1


def test_a_multiword_token_that_is_not_split_matches_nothing_but_its_token() -> None:
    scores = scored(side("nella=in+la casa"), side("nella casa"))
    assert scores.metrics["Words"] == MatchCounts(1, 2, 3)
    assert f1(scores, "Words") == Fraction(2, 5)
    assert f1(scores, "Tokens") == 1


def test_pieces_of_a_multiword_token_match_though_the_system_calls_them_tokens() -> None:
    # "don't": gold one token of two words, system two tokens.
    scores = scored(side("I don't=do+n't go"), side("I do n't go"))
    assert f1(scores, "Words") == 1
    assert f1(scores, "Tokens") == Fraction(2 * 2, 3 + 4)


def test_the_longest_common_subsequence_decides() -> None:
    # gold   a b c d     system b d a c:  "b d" or "b c" or "a c", but not three
    pairs = list(aligned(side("wxyz=a+b+c+d").words, side("wxyz=b+d+a+c").words))
    assert len(pairs) == 2


def test_a_stretch_grows_by_the_multiword_tokens_that_begin_in_it() -> None:
    # gold    [ab: x y][cd: z w]      system  [a][bcd: y z w]
    pairs = list(aligned(side("ab=x+y cd=z+w").words, side("a bcd=y+z+w").words))
    assert pairs == [(1, 1), (2, 2), (3, 3)]


def test_a_word_that_sticks_out_of_the_multiword_token_ends_its_stretch() -> None:
    # gold    [ab: a b][c]            system  [a][bc]
    pairs = list(aligned(side("ab=a+b c").words, side("a bc").words))
    assert pairs == [(0, 0)]


def test_sentences_that_are_cut_elsewhere_cost_their_trees() -> None:
    # gold   | a b | c d |   heads 0 a 0 c        system | a b c d |   heads 0 a a a
    scores = scored(side("a b", "c d"), side("a b c d"))
    assert scores.metrics["Sentences"] == MatchCounts(0, 1, 2)
    assert f1(scores, "Words") == 1
    assert f1(scores, "UAS") == Fraction(2, 4)  # a and b


def word(form: str, at: int, **columns: str) -> Word:
    return Word(at, at + len(form), False, form, **columns)  # type: ignore[arg-type]


def pair(gold: dict[str, str], found: dict[str, str]) -> Scores:
    def one(columns: dict[str, str]) -> Side:
        return Side((word("a", 0, **columns),), ((0, 1),), ((0, 1),))

    return scored(one(gold), one(found))


@pytest.mark.parametrize(
    ("gold", "found", "metric", "right"),
    [
        ({"upos": "NOUN"}, {"upos": "PROPN"}, "UPOS", 0),
        ({"upos": "NOUN"}, {"upos": "NOUN"}, "UPOS", 1),
        ({"feats": "Gender=Fem|Number=Sing"}, {"feats": "Number=Sing|Gender=Fem"}, "UFeats", 1),
        ({"feats": "Gender=Fem"}, {"feats": "Gender=Fem|Number=Sing"}, "UFeats", 0),
        ({"feats": "Gender=Fem"}, {"feats": "Gender=Fem|Clitic=Yes"}, "UFeats", 1),
        ({"deprel": "nsubj:pass"}, {"deprel": "nsubj"}, "LAS", 1),
        ({"deprel": "nsubj"}, {"deprel": "obj"}, "LAS", 0),
        ({"lemma": "go"}, {"lemma": "Go"}, "Lemmas", 0),
        ({"lemma": ""}, {"lemma": "Go"}, "Lemmas", 1),
    ],
)
def test_what_is_compared(
    gold: dict[str, str], found: dict[str, str], metric: str, right: int
) -> None:
    assert pair(gold, found).metrics[metric] == MatchCounts(right, 1, 1)


def test_relations_keep_their_subtypes_and_features_their_names() -> None:
    scores = pair(
        {"deprel": "nsubj:pass", "upos": "PRON", "feats": "Gender=Fem|Number=Sing"},
        {"deprel": "nsubj", "upos": "PRON", "feats": "Gender=Masc|Number=Sing"},
    )
    assert scores.relations["nsubj:pass"] == MatchCounts(0, 0, 1)
    assert scores.relations["nsubj PRON"] == MatchCounts(0, 1, 0)
    assert scores.features == {"Gender": MatchCounts(0, 1, 1), "Number": MatchCounts(1, 1, 1)}


def test_what_the_system_never_says_has_no_score() -> None:
    text = "a b"
    bare = system(Analysis(text, ((0, 1), (2, 3)), ((0, 3),), (), upos=("X", "X")))
    scores = scored(side("a b"), bare)
    assert scores.metrics["Lemmas"] is None
    assert scores.metrics["UAS"] is None
    assert scores.metrics["UPOS"] is not None
    assert scores.relations == {}


def test_a_text_without_a_word_does_not_say_that_the_system_has_no_trees() -> None:
    gold = side("a b")
    nothing = system(Analysis(" ", (), (), ()))
    assert evaluate([(gold, gold), (side(), nothing)]).metrics["UAS"] == MatchCounts(2, 2, 2)


def test_white_space_does_not_count() -> None:
    # A gold token with a blank in it, and a text with blanks of several sorts.
    text = "10 000\u00a0 euro"
    found = system(Analysis(text, ((0, 6), (8, 12)), ((0, 12),), ()))
    assert [w.span for w in found.words] == [(0, 5), (5, 9)]
    assert squeezed(text) == "10000euro"


def test_words_of_a_multiword_token_come_from_its_shared_span() -> None:
    text = "nella casa"
    found = system(
        Analysis(
            text,
            ((0, 5), (6, 10)),
            ((0, 10),),
            (),
            words=((0, 5), (0, 5), (6, 10)),
            spelled=("in", "la", "casa"),
            head=(2, 2, 2),
            deprel=("case", "det", "root"),
        )
    )
    assert [(w.form, w.multiword, w.head) for w in found.words] == [
        ("in", True, 2),
        ("la", True, 2),
        ("casa", False, None),
    ]
    assert found.tokens == ((0, 5), (5, 9))


def test_given_words_keep_the_gold_standards_place() -> None:
    gold = side("nella=in+la casa", "ride")
    first = Analysis("in la casa", ((0, 2), (3, 5), (6, 10)), ((0, 10),), (), head=(2, 2, 2))
    second = Analysis("ride", ((0, 4),), ((0, 4),), (), head=(0,))
    found = on_gold_words(gold, [first, second])
    assert [w.head for w in found.words] == [2, 2, None, None]
    assert f1(scored(gold, found), "Words") == 1
    with pytest.raises(ValueError, match="4 words were given, 3 came back"):
        on_gold_words(gold, [first])
