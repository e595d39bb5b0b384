"""Small English documents in OntoNotes' columns."""

from __future__ import annotations

from pathlib import Path

from corefmill.corpora.formats import conll2012
from corefmill.corpora.records import Document


def document(doc: str, part: int, *sentences: tuple[str, str]) -> str:
    """A document of sentences: a speaker and words, as form_TAG or form_TAG_coreference."""
    lines = [f"#begin document ({doc}); part {part:03d}"]
    for speaker, words in sentences:
        for number, word in enumerate(words.split()):
            form, tag, *coref = word.split("_")
            cells = [doc, str(part), str(number), form, tag, "*", "-", "-", "-", speaker, "*"]
            lines.append("\t".join([*cells, *(coref or ["-"])]))
        lines.append("")
    return "\n".join([*lines, "#end document\n"])


def read(text: str, folder: Path) -> list[Document]:
    """The documents of a text, written to a file in the folder."""
    path = folder / "own.conll"
    path.write_text(text, encoding="utf-8")
    return [document for _, document in conll2012.read(path, "en")]


NEWS = document(
    "nw/own/00/own_0001",
    0,
    (
        "Wolf Blitzer",
        "Lora_NNP_(6 Owens_NNP_6) is_VBZ the_DT_(7 stepmother_NN of_IN"
        " Albert_NNP_(8 Owens_NNP_8)|7) ._.",
    ),
    ("Wolf Blitzer", "She_PRP_(6) joins_VBZ us_PRP_(9) now_RB by_IN phone_NN ._."),
    ("-", "A_DT_(10 day_NN_10) of_IN rain_NN ._."),
)
"""The paper's own example, with a nested mention, a speaker with a blank and a verbless line."""

_TALK = "bc/own/00/own_0002"
TALK = document(
    _TALK,
    0,
    (
        "Anna Maria Bell",
        "``_`` Well_UH %pw_UH ,_, he_PRP_(1) wants_VBZ *PRO*-1_-NONE-_(1) to_TO see_VB"
        " the_DT_(2 dog_NN_2) /._. ''_''",
    ),
    (
        "Anna Maria Bell",
        "John_NNP_(1) took_VBD it_PRP_(2) to_TO his_PRP$_(3|(4|(1) sister_NN 's_POS_4) house_NN_3)"
        " /._.",
    ),
) + document(
    _TALK,
    1,
    (
        "Anna Maria Bell",
        "The_DT_(1 two_CD men_NNS_1) said_VBD that_IN they_PRP_(1) saw_VBD 1940_CD_(5)"
        " *T*-1_-NONE- ._.",
    ),
    (
        "Anna Maria Bell",
        "They_PRP_(1) saw_VBD 1940_CD_(5) ,_, and_CC 1940_CD -LRB-_-LRB- again_RB -RRB-_-RRB- ._.",
    ),
)
"""What talks in OntoNotes have: quotes, traces, %pw, /. for a full stop, possessives, two parts."""
