"""Files of names: columns, schemes of tags, and the text that the tokens stand in."""

from __future__ import annotations

from pathlib import Path

import pytest

from corefmill.builders.nlp.ner_gold import NamedSentence, decoded, read
from corefmill.corpora.errors import DataError

UNER = """# sent_id = 1
# text = "Anna"  lives.
1\t"\tO\t-\tx
2\tAnna\tB-PER\t-\tx
3\t"\tO\t-\tx
4\tlives\tO\t-\tx
5\t.\tO\t-\tx

"""
WIKINEURAL = "0\tAnna\tB-PER\n1\tRossi\tI-PER\n2\tcanta\tO\n3\t.\tO\n"
KIND = "In\tO\nfiamme\tO\nl'\tO\nIstituto\tLOC\nLama\tLOC\n\n1\tO\n"
CONLL = "-DOCSTART- -X- O O\n\nAnna NNP I-NP B-PER\nsings VBZ I-VP O\n"


def sentences(folder: Path, text: str) -> list[NamedSentence]:
    path = folder / "names.tsv"
    path.write_text(text, encoding="utf-8")
    return list(read(path))


@pytest.mark.parametrize(
    ("content", "text", "names"),
    [
        (UNER, '"Anna" lives.', [("Anna", "PER")]),
        (WIKINEURAL, "Anna Rossi canta.", [("Anna Rossi", "PER")]),
        (KIND, "In fiamme l'Istituto Lama", [("Istituto Lama", "LOC")]),
        (CONLL, "Anna sings", [("Anna", "PER")]),
    ],
)
def test_each_form_of_file(
    tmp_path: Path, content: str, text: str, names: list[tuple[str, str]]
) -> None:
    sentence = sentences(tmp_path, content)[0]
    assert sentence.text == text
    assert [(text[n.start : n.end], n.label) for n in sentence.names] == names


def test_a_text_that_is_not_the_tokens_own_is_not_followed(tmp_path: Path) -> None:
    assert sentences(tmp_path, "# text = Other\n1\tAnna\tB-PER\n2\t!\tO\n")[0].text == "Anna!"


def test_print_is_restored(tmp_path: Path) -> None:
    forms = ["He", "said", ":", '"', "I", "do", "n't", "(", "no", ")", '"', "—", "Ann", "'s"]
    content = "".join(f"{form}\tO\n" for form in forms)
    assert sentences(tmp_path, content)[0].text == "He said: \"I don't (no)\" — Ann's"


@pytest.mark.parametrize(
    ("tags", "names"),
    [
        ("B-A I-A O B-A B-A", [(0, 2, "A"), (3, 4, "A"), (4, 5, "A")]),
        ("I-A I-A I-B", [(0, 2, "A"), (2, 3, "B")]),  # IOB
        ("B-A E-A S-A S-A", [(0, 2, "A"), (2, 3, "A"), (3, 4, "A")]),  # BIOES
        ("B-A L-A U-A I-A", [(0, 2, "A"), (2, 3, "A"), (3, 4, "A")]),  # BILOU
        ("A A B O _ A", [(0, 2, "A"), (2, 3, "B"), (5, 6, "A")]),  # bare labels
        ("B-ORG-X I-ORG-X", [(0, 2, "ORG-X")]),
    ],
)
def test_tags(tags: str, names: list[tuple[int, int, str]]) -> None:
    assert decoded(tags.split()) == names


def test_plain_text_has_no_tags(tmp_path: Path) -> None:
    path = tmp_path / "tales.txt"
    path.write_text("Once upon a time.\n")
    with pytest.raises(DataError, match=r"tales\.txt:1: 'time\.' is no tag of a name"):
        list(read(path))


def test_a_year_among_words_is_no_number_of_a_line(tmp_path: Path) -> None:
    path = tmp_path / "names.txt"
    path.write_text("Ann NNP (NP* B-PER\n1984 CD (NP) O\n")
    (found,) = read(path)
    assert [entity.label for entity in found.names] == ["PER"]


def test_a_line_of_other_columns_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"names\.tsv:2: 1 columns, 2 are due"):
        sentences(tmp_path, "Anna\tO\nsings\n")
