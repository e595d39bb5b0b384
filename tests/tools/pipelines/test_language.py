"""The recipe that several languages share, on a few lines of French written here."""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import pytest
import spacy
from spacy.tokens import Doc, Span
from typer.testing import CliRunner

from tools.pipelines import language, multiword, recipe, selftaught, treebank
from tools.pipelines.clean import Words

TREE = """1\tAnne\tAnne\tPROPN\t_\tNumber=Sing\t2\tnsubj\t_\t_
2\tparle\tparler\tVERB\t_\tTense=Pres\t0\troot\t_\t_
3-4\tdu\t_\t_\t_\t_\t_\t_\t_\t_
3\tde\tde\tADP\t_\t_\t5\tcase\t_\t_
4\tle\tle\tDET\t_\tGender=Masc\t5\tdet\t_\t_
5\tpont\tpont\tNOUN\t_\tGender=Masc\t2\tobl\t_\tSpaceAfter=No
6\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_

"""
WORDS = Words(
    titles=frozenset({"Mme"}),
    name_like_titles=frozenset(),
    never_names=frozenset({"Dieu"}),
    speech_verbs=frozenset({"dit"}),
)


def _data(folder: Path) -> Path:
    named = "0\tAnne\tB-PER\n1\tvit\tO\n2\tl'\tO\n3\tIsère\tB-LOC\n4\t.\tO\n\n"
    body = "0\tLe\tO\n1\tClub\tB-ORG\n2\tlut\tO\n3\tCandide\tB-MISC\n4\t.\tO\n\n"
    texts = {
        f"ner/wikineural/fr-{part}.conllu": (named + body) * 60 for part in ("val", "test-rest")
    }
    trees = "".join(TREE.replace("pont", f"pont{i}") for i in range(100))
    texts |= {f"ud/fr/{part}.conllu": trees for part in language.table("fr")["treebanks"]}
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (folder / "eltec" / "fr").mkdir(parents=True)
    said = "Alors Anne parla du pont, et Paul dit que Anne avait raison sans doute.\n\n"
    for book in "ab":
        packed = lzma.compress((said * 30).encode())
        (folder / "eltec" / "fr" / f"{book}.txt.xz").write_bytes(packed)
    return folder


def test_a_little_data_gives_a_pipeline_that_loads(tmp_path: Path) -> None:
    data, out = _data(tmp_path / "data"), tmp_path / "fr_mini"
    arguments = ["fr_mini", "--data", str(data), "--out", str(out), "--jobs", "1"]
    done = CliRunner().invoke(recipe.app, [*arguments, "--epochs", "1", "--tree-epochs", "1"])
    assert done.exit_code == 0, done.output
    card = (out / "README.md").read_text(encoding="utf-8")
    assert "**For non-commercial use**" in card.splitlines()[2]
    assert "| UD French Sequoia (`fr_sequoia-ud-dev`) |" in card
    assert "French GSD, CC BY-SA 4.0" in (out / "LICENCE.txt").read_text(encoding="utf-8")
    meta = json.loads((out / "meta.json").read_text(encoding="utf-8"))
    assert set(meta["performance"]) == {"names_f1", "trees_f1"}
    doc = spacy.load(out)("Anne parle du pont.")
    assert [(token.text, token.norm_) for token in doc][2:4] == [("d", "de"), ("u", "le")]


def test_what_is_kept_out_is_not_trained_on(tmp_path: Path) -> None:
    data = _data(tmp_path)
    kept = {s.text for s in treebank.sentences(language.held_out_trees("fr", data, tmp_path))}
    trained = {s.text for part in language.training_trees("fr", data).values() for s in part}
    assert len(kept) > 3
    assert not {text.strip() for text in kept} & {text.strip() for text in trained}
    assert not any(text.strip() in " ".join(language.raw_texts("fr", data, 1)) for text in kept)


def test_a_language_may_take_one_turn_more() -> None:
    assert language.turns("fr") == list(language.TURNS)
    assert language.turns("pt") == [*language.TURNS, language.LAST_TURNS["settle"]]


@pytest.mark.parametrize(
    ("written", "forms", "parts"),
    [
        ("du", ("de", "le"), ["d", "u"]),
        ("aux", ("à", "les"), ["a", "ux"]),
        ("żebym", ("żeby", "m"), ["żeby", "m"]),
        ("fazê-lo", ("fazer", "lo"), ["fazê-", "lo"]),
    ],
)
def test_pieces_follow_each_other(written: str, forms: tuple[str, ...], parts: list[str]) -> None:
    assert [piece.text for piece in multiword.pieces(written, forms)] == parts


def test_a_word_too_short_for_its_words_stays_whole() -> None:
    rows = [
        ["1", "Fui", "ir", "VERB", "_", "_", "0", "root", "_", "_"],
        ["2-3", "à", "_", "_", "_", "_", "_", "_", "_", "_"],
        ["2", "a", "a", "ADP", "_", "_", "4", "case", "_", "_"],
        ["3", "a", "o", "DET", "_", "_", "4", "det", "_", "_"],
        ["4", "praia", "praia", "NOUN", "_", "_", "1", "obl", "_", "_"],
    ]
    sentence = next(iter(treebank.of_rows([rows]))).cuttable()
    assert [(word.form, word.head) for word in sentence.words] == [
        ("Fui", 0),
        ("à", 2),
        ("praia", 0),
    ]
    assert [(token.first, token.last) for token in sentence.tokens] == [(0, 1), (1, 2), (2, 3)]


def test_a_book_says_what_its_words_are() -> None:
    nlp = spacy.blank("fr")
    texts = [
        "Alors Anne parla.",
        "Puis Anne rit.",
        "Puis Anne se tut.",
        "Mais Anne rit.",
        "Dieu ! dit Mme Anne.",
    ]
    docs = [nlp(text) for text in texts]
    for doc in docs:
        doc[0].is_sent_start = True
        for token in doc[1:]:
            token.is_sent_start = False
    for doc in docs[:3]:
        doc.ents = [Span(doc, 1, 2, "PER")]
    kinds = selftaught._kinds(docs, WORDS, beside=False)
    assert kinds["Anne"] == "PER"
    assert _persons(docs[3], kinds) == ["Anne"]
    assert _persons(docs[4], kinds) == ["Anne"]


def test_an_honorific_or_a_verb_of_saying_shows_a_person() -> None:
    nlp = spacy.blank("fr")
    docs = [nlp(text) for text in ("Oui, dit Paul.", "Non, Paul dit tout.", "Voici Candide.")]
    for doc in docs:
        for token in doc:
            token.is_sent_start = token.i == 0
    assert selftaught._kinds(docs, WORDS, beside=True) == {"Paul": "PER"}
    assert selftaught._kinds(docs, WORDS, beside=False) == {}


def test_a_person_ends_with_the_genitive_of_a_known_name() -> None:
    doc = spacy.blank("de")("Da liegt Annas Hut.")
    doc.ents = [Span(doc, 2, 4, "PER")]
    assert _persons(doc, {"Anna": "PER"}) == []
    assert _persons(doc, {"Anna": "PER"}, genitives=True) == ["Annas"]
    assert _persons(doc, {"Annas": "PER"}, genitives=True) == ["Annas Hut"]


def _persons(doc: Doc, kinds: dict[str, str], genitives: bool = False) -> list[str]:
    sample = selftaught._sample(doc, kinds, WORDS, genitives)
    return [sample.text[start:end] for start, end, _ in sample.spans]
