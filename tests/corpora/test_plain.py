"""Plain text: words, sentences, contractions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from corefmill.corpora import plain
from corefmill.corpora.files.errors import UsageError
from corefmill.corpora.formats import corefud
from corefmill.corpora.plain import learn_contractions
from corefmill.corpora.records import Document, MaskedExample, Mention, Source


def words(text: str, lang: str = "en") -> list[list[str]]:
    found = plain.read_text(text, lang)
    return [[token.form for token in sentence.tokens] for sentence in found.sentences]


def test_words_and_sentences() -> None:
    assert words("Ann met Eve. She left!") == [["Ann", "met", "Eve", "."], ["She", "left", "!"]]


@pytest.mark.parametrize("text", ["", "  \n\n "])
def test_a_text_without_words_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="no word"):
        plain.read_text(text, "en")


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(UsageError, match="no rules for the language 'xq'"):
        plain.read_text("Ann", "xq")


def test_the_spans_of_a_pipeline() -> None:
    text = "Ann met  Eve. She left."
    tokens = [(0, 3), (4, 7), (9, 12), (12, 13), (14, 17), (18, 22), (22, 23)]
    found = plain.make_from_spans(text, [(0, 13), (14, 23)], tokens, "en")
    assert [[t.form for t in s.tokens] for s in found.sentences] == [
        ["Ann", "met", "Eve", "."],
        ["She", "left", "."],
    ]
    assert [t.space_after for t in found.sentences[0].tokens] == [True, True, False, True]
    assert found.text == text
    assert found.offsets == (tuple(tokens[:4]), tuple(tokens[4:]))
    with pytest.raises(UsageError, match="no word"):
        plain.make_from_spans(" ", [], [], "en")


def sentences(text: str, lang: str = "en") -> list[str]:
    return [" ".join(line) for line in words(text, lang)]


ENDS = ["\n\n", "\r\r", "\r\n\r\n", "\x85\x85", "\u2028\u2028", "\u2029", "\r \r", "\n\u2029"]


@pytest.mark.parametrize("end", ENDS)
def test_every_line_end_ends_a_paragraph(end: str) -> None:
    assert sentences(f"A title{end}Ann left{end}") == ["A title", "Ann left"]
    found = plain.read_text(f"A title{end}Ann left", "en")
    assert found.text == f"A title{end}Ann left" and found.offsets is not None
    start, stop = found.offsets[1][0]
    assert found.text[start:stop] == "Ann"


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n", "\x85", "\u2028"])
def test_one_line_end_is_a_blank(end: str) -> None:
    assert sentences(f"Ann{end}left.") == ["Ann left ."]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('He said: "No." She left.', ['He said : " No . "', "She left ."]),
        ('"Why?" "Because." He ran.', ['" Why ? "', '" Because . "', "He ran ."]),
        ("She asked “No?” ‘Yes.’ Bye.", ["She asked “ No ? ”", "‘ Yes . ’", "Bye ."]),
        ("He left. (She stayed.) Why?", ["He left .", "( She stayed . )", "Why ?"]),
        ('"Go!" he said. He left.', ['" Go ! " he said .', "He left ."]),
        ('"Go!", Ann said.', ['" Go ! " , Ann said .']),
        ("He left (at last!) and slept.", ["He left ( at last ! ) and slept ."]),
    ],
)
def test_a_closing_quote_goes_with_its_sentence_an_opening_one_with_the_next(
    text: str, found: list[str]
) -> None:
    assert sentences(text) == found


@pytest.mark.parametrize(
    ("lang", "text", "found"),
    [
        pytest.param(
            *("fr", "« Va. » Il partit. « Oui ! » dit Anne.", ["« Va . »", "Il partit ."]),
            marks=pytest.mark.thorough,  # spaCy takes five seconds to load its French words
        ),
        ("de", "„Nein.“ Er ging. „Gut!“ sagte sie.", ["„ Nein . “", "Er ging ."]),
        ("de", "»Nein.« Er ging. »Gut!« sagte sie.", ["» Nein . «", "Er ging ."]),
    ],
)
def test_quotes_of_other_languages(lang: str, text: str, found: list[str]) -> None:
    *before, last = sentences(text, lang)
    assert before == found and last.count("!") == 1


@pytest.mark.parametrize(
    "text",
    [
        "John Smith Sr. was here.",
        "See No. 5 and Vol. 3, vol. II.",
        "It weighs approx. 5 kg.",
        "Mr. Brown, Dr. Lee and Capt. Ford, e.g. here.",
        "Cars etc. and so on.",
    ],
)
def test_an_abbreviation_does_not_end_a_sentence(text: str) -> None:
    (found,) = sentences(text)
    assert found.count(" .") == 1


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("en", "Cpl. Lee and Messrs. Low went from Ft. Worth to Mt. Rainier."),
        ("en", "See Para. 3 of Ch. 2, Bk. 4 and Dist. 9."),
        ("de", "Hr. Lee sah in Bd. 2, Abb. 3, Kap. 4 nach, usw. bis Abs. 5."),
        ("de", "„Wer?“, fragte sie."),
        ("de", "»Wer?«, fragte sie."),
        ("es", "La Srta. Paz y Dña. Eva vieron a Ud. en la pág. 3 del cap. 2."),
        ("it", "L'ing. Gallo e l'avv. Lupi lessero il cap. 2, ad es. questo."),
        ("nl", "Dhr. Lee en mevr. Low lazen bijv. blz. 3."),
        ("pt", "A Dra. Eva pesa aprox. 5 quilos."),
    ],
)
def test_an_abbreviation_or_quote_of_a_language(lang: str, text: str) -> None:
    assert len(sentences(text, lang)) == 1


@pytest.mark.parametrize(
    ("cut", "found"),
    [
        (["He left . (", "She stayed . )"], ["He left .", "( She stayed . )"]),
        (['He left . "', 'Why ? "'], ["He left .", '" Why ? "']),
        (["He left . [ (", "One ) ]"], ["He left .", "[ ( One ) ]"]),
        (["Smith Sr .", "was here ."], ["Smith Sr . was here ."]),
        (["See No .", "5 of Vol .", "2 ."], ["See No . 5 of Vol . 2 ."]),
        (["He said no .", "She left ."], ["He said no .", "She left ."]),
        (["Cars etc .", "She left ."], ["Cars etc .", "She left ."]),
        (['He said " No . "', "She left ."], ['He said " No . "', "She left ."]),
        (["(", "Yes )"], ["(", "Yes )"]),
    ],
)
def test_sentence_ends_of_a_pipeline_are_mended(cut: list[str], found: list[str]) -> None:
    text, tokens, places = "", [], []
    for sentence in cut:
        start = len(text)
        for word in sentence.split():
            # Marks that open stand before the next word without a blank, others behind it.
            close = word in (".", ")", "]", "?") or (word == '"' and text[-2:-1] in ".?")
            close = close and not (word == '"' and sentence.endswith('"') and len(cut[0]) == 11)
            text = text.rstrip() if close else text
            tokens.append((len(text), len(text) + len(word)))
            opens = word in "([" or (word == '"' and not close)
            text += word + " " * (not opens)
        places.append((start, len(text)))
    read = plain.make_from_spans(text, places, tokens, "en")
    assert [" ".join(t.form for t in s.tokens) for s in read.sentences] == found


def test_the_text_stays_and_each_word_has_its_place() -> None:
    text = "\r\n  Ann  met\r\nEve. \r\n\r\n\tShe left.\r\n\n"
    found = plain.read_text(text, "en")
    assert found.text == text and found.offsets is not None
    assert [[text[a:b] for a, b in spans] for spans in found.offsets] == words(text)
    assert len(found.sentences) == 2
    assert found.locate(Mention(1, 0, 2)) == (text.index("She"), text.index("left") + 4)


def conllu(*sentences: str) -> str:
    """CoNLL-U of words between blanks; `dal=da+il` is a contraction of two."""
    lines = ["# global.Entity = eid-etype-head-other", "# newdoc id = d"]
    for sentence in sentences:
        number = 0
        lines.append(f"# text = {sentence}")
        for form in sentence.split():
            whole, _, parts = form.partition("=")
            words = parts.split("+") if parts else [whole]
            if parts:
                lines.append("\t".join([f"{number + 1}-{number + len(words)}", whole, *"________"]))
            for word in words:
                number += 1
                head = "1\tdep" if number > 1 else "0\troot"
                lines.append(f"{number}\t{word}\t_\t_\t_\t_\t{head}\t_\t_")
        lines.append("")
    return "\n".join(lines) + "\n"


@pytest.fixture
def documents(tmp_path: Path) -> list[Document]:
    often = "Va dal=da+il sindaco .", "Va dargli=dar+gli nel=in+il sindaco ."
    path = tmp_path / "a.conllu"
    path.write_text(conllu(*often * 3, "Va nel sindaco ."))
    return [one for _, one in corefud.FORMAT.read(path, "it")]


def test_what_is_nearly_always_split_is_learnt(documents: list[Document]) -> None:
    assert learn_contractions(documents) == {"dal": "da il", "dargli": "dar gli"}
    rare = [replace(one, sentences=one.sentences[:4], meta=one.meta) for one in documents]
    assert learn_contractions(rare) == {}  # each of them twice
    example = MaskedExample("e", "it", "A B", (), (0, 1), ("A", "B"), (), 0, Source("p", 1))
    assert learn_contractions([example]) == {}


def test_text_is_split_as_the_data_are(documents: list[Document]) -> None:
    text = "Dal sindaco va Eva.\nVa a Dargli   pane."
    made = plain.read_text(text, "it", contractions=learn_contractions(documents))
    (sentence, other), offsets = made.sentences, made.offsets
    assert [token.form for token in sentence.tokens] == ["Da", "il", "sindaco", "va", "Eva", "."]
    assert [token.space_after for token in sentence.tokens[:2]] == [False, True]
    assert offsets is not None and offsets[0][:3] == ((0, 3), (0, 3), (4, 11))
    assert [token.form for token in other.tokens] == ["Va", "a", "Dar", "gli", "pane", "."]
    assert [text[a:b] for a, b in offsets[1]] == ["Va", "a", "Dar", "gli", "pane", "."]
