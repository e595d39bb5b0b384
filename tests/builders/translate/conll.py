"""Small English documents in OntoNotes' columns, written as tokens with their tags."""

from __future__ import annotations

from collections.abc import Sequence


def sentence(
    doc: str, part: int, words: str, corefs: dict[int, str] | None = None, speaker: str = "-"
) -> str:
    """Lines of a sentence: `words` are form_TAG pairs, `corefs` cells of the last column."""
    rows = []
    for number, pair in enumerate(words.split()):
        form, _, tag = pair.rpartition("_")
        coref = (corefs or {}).get(number, "-")
        cells = [doc, str(part), str(number), form, tag, "*", "-", "-", "-", speaker, "*", coref]
        rows.append("\t".join(cells))
    return "\n".join(rows) + "\n\n"


def document(doc: str, part: int, sentences: Sequence[str]) -> str:
    """A document of sentences made by `sentence`."""
    body = "".join(sentences)
    return f"#begin document ({doc}); part {part:03d}\n{body}#end document\n"


NEWS = document(
    "nw/own/00/own_0001",
    0,
    [
        sentence(
            "nw/own/00/own_0001",
            0,
            "Lora_NNP Owens_NNP is_VBZ the_DT stepmother_NN of_IN Albert_NNP Owens_NNP ._.",
            {0: "(6", 1: "6)", 3: "(7", 6: "(8", 7: "8)|7)"},
            "Wolf Blitzer",
        ),
        sentence(
            "nw/own/00/own_0001",
            0,
            "She_PRP joins_VBZ us_PRP now_RB by_IN phone_NN ._.",
            {0: "(6)", 2: "(9)"},
            "Wolf Blitzer",
        ),
        sentence("nw/own/00/own_0001", 0, "A_DT day_NN of_IN rain_NN ._.", {0: "(10", 1: "10)"}),
    ],
)
"""The paper's own example, with a nested mention, a speaker with a blank and a verbless line."""

TALK = document(
    "bc/own/00/own_0002",
    0,
    [
        sentence(
            "bc/own/00/own_0002",
            0,
            "``_`` Well_UH %pw_UH ,_, he_PRP wants_VBZ *PRO*-1_-NONE- to_TO see_VB"
            " the_DT dog_NN /._. ''_''",
            {4: "(1)", 6: "(1)", 9: "(2", 10: "2)"},
            "Anna Maria Bell",
        ),
        sentence(
            "bc/own/00/own_0002",
            0,
            "John_NNP took_VBD it_PRP to_TO his_PRP$ sister_NN 's_POS house_NN /._.",
            {0: "(1)", 2: "(2)", 4: "(3|(4|(1)", 6: "4)", 7: "3)"},
            "Anna Maria Bell",
        ),
    ],
) + document(
    "bc/own/00/own_0002",
    1,
    [
        sentence(
            "bc/own/00/own_0002",
            1,
            "The_DT two_CD men_NNS said_VBD that_IN they_PRP saw_VBD 1940_CD *T*-1_-NONE- ._.",
            {0: "(1", 2: "1)", 5: "(1)", 7: "(5)"},
            "Anna Maria Bell",
        ),
        sentence(
            "bc/own/00/own_0002",
            1,
            "They_PRP saw_VBD 1940_CD ,_, and_CC 1940_CD -LRB-_-LRB- again_RB -RRB-_-RRB- ._.",
            {0: "(1)", 2: "(5)"},
            "Anna Maria Bell",
        ),
    ],
)
"""What talks in OntoNotes have: quotes, traces, %pw, /. for a full stop, possessives, two parts."""
