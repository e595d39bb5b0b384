"""Sets of Winograd's kind: WinoBias, Winogender, WinoGrande and WNLI.

WinoBias' numbered lines:
B1. A line is a number, a blank and a sentence: `7 [The cook] met the baker when [he] was ill.`
B2. The first brackets hold the right candidate, the others its pronouns: one at least. The first
    pronoun is the target, the rest are mentions of the right candidate.
B3. The wrong candidate has no brackets: it is the first occupation of `winobias.toml` outside of
    them, with its article (`the baker`). `1 [The cook] met the king when [he] was ill.` is an
    error. In `[The cook] respects the baker because [he] knows a good baker.` it is the
    first baker.
B4. The candidates stand in the order of the text; label and mentions follow from the brackets.
B5. The id is the line's number. The text has neither number nor brackets. Blanks within brackets
    (`the [ cook]`, two of the files) are none of the candidate, and written outside of them.
B6. The writer takes two candidates with their mentions, and refuses what would not be read as the
    same candidates, label, target and mentions: a text with brackets of its own, a label that is
    None, a wrong candidate of no known occupation. An id that is no number becomes the line's.

Winogender's sentences:
G1. The header is `sentid sentence`, separated by a tab.
G2. A sentid is `occupation.participant.answer.gender.txt`: `chef.guest.1.female.txt`. The answer is
    0 for the occupation and 1 for the participant, the gender male, female or neutral.
G3. The candidates are occupation and participant, in this order, as they stand in the sentence with
    their article: `The chef` and `the guest`, or `someone`. They replace the pronoun as they are;
    a bare `chef` would not. Each stands in the sentence once, or the line is an error.
G4. The target is the one word of the sentence that is a pronoun of the sentid's gender (`he his him
    himself`, `she her hers herself`, `they their them theirs themselves`); else it is an error.
G5. The id is the sentid. The writer writes what rules G2 to G4 would read as the same candidates,
    target and label, and refuses the rest.

WinoGrande, as a table or as JSON lines:
W1. The table's header is `index sentence1 sentence2 label candidate0 candidate1`. An item is two
    rows that follow each other with the same index, sentence2 and candidates. sentence1 ends in
    candidate0 in the first row and in candidate1 in the second; what stands before it is the same:
    `Ann met Bo because Ann` and `Ann met Bo because Bo`.
W2. The text is what stands before, a blank `_`, and sentence2 (which begins with its own space).
    The blank is the target. The label is the row with label 1. Neither is label None; both: error.
W3. JSON lines, the released form: qID, sentence, option1, option2, and answer "1" or "2"; other
    keys are errors. The sentence holds one `_`, the target; of `a _ b _ c` none is meant. A missing
    answer is label None; so is "", which `meta["answer"]` keeps.
W4. The id is the index, or the qID. Mentions are empty, since the files have no offsets. Of two
    options that are the same, the second candidate ends in ` (2)`, and is written without.
W5. The writers need two candidates, and put the blank in place of the target: a pronoun that stood
    there is lost, as are source, sentences, mentions and meta. Cells have no tabs and line ends.

WNLI's table:
N1. The header is `index sentence1 sentence2 label`; the test set has no label. The text is
    sentence1, the premise. The id is the index, `meta["hypothesis"]` is sentence2.
N2. The hypothesis is cut from the premise, with a run of one to five other words in the pronoun's
    place: `It fell. The cup fell.` has `The cup` for `It`. The rest of it stands in the premise
    with one word between; upper and lower case are the same, and so are , . ? !
    Of several such runs those count that take a pronoun's place, if there are any; of these the
    shortest, and of those the last (in the hypothesis, then in the premise). The published reader
    asks for no pronoun: in `He hit the jar, and it broke. The jar broke.` it has `jar broke` for
    the premise's `jar`, since a comma is a full stop.
N3. The target is that word of the premise. Candidate 0 is the run, as the hypothesis has it;
    candidate 1 is the target itself: another than candidate 0. Label 1 of the file is label 0,
    label 0 is label 1, and a file without labels has None.
N4. Where rule N2 finds nothing, the target is the whole premise and candidate 0 the whole
    hypothesis; `meta["aligned"]` is false. The published reader takes such items for label 0 of
    the file. Where hypothesis or run is the target's own string, candidate 1 ends in ` (2)`.
N5. The writer writes what would be read as the same example, and refuses the rest. Either all
    examples have a label or none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain, count
from pathlib import Path

from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError, naming
from corefmill.corpora.formats import json_records
from corefmill.corpora.formats.form import (
    Format,
    Located,
    encode_row,
    line_format,
    make_distinct,
    masked_example,
    read_table,
    stop_at_faults,
    two_names,
    write_records,
    write_table,
)
from corefmill.corpora.records import MaskedExample, Meta, Span

_NUMBERED = re.compile(r"([0-9]{1,9}) (.+)", re.DOTALL)
_BRACKETS = re.compile(r"\[([^\[\]]+)\]")


@cache
def _occupation() -> re.Pattern[str]:
    names = "|".join(map(re.escape, disk.read_package_table(__file__, "winobias")["occupations"]))
    return re.compile(rf"\b(?:(?:the|an?) )?(?:{names})\b", re.IGNORECASE)


def _parse_winobias(line: str, lang: str) -> MaskedExample:
    """Make the example of a line of WinoBias (rules B1 to B5)."""
    match = _NUMBERED.fullmatch(line)
    if match is None:
        raise ValueError("a line of number, blank and sentence was expected")
    text, spans, position = "", list[Span](), 0
    for found in _BRACKETS.finditer(match[2]):
        text += match[2][position : found.start()]
        bare = found[1].strip()
        start = len(text) + found[1].index(bare)
        spans.append((start, start + len(bare)))
        text += found[1]
        position = found.end()
    text += match[2][position:]
    if "[" in text or "]" in text:
        raise ValueError("the brackets do not pair")
    if len(spans) < 2:
        raise ValueError(f"{len(spans)} pairs of brackets, where candidate and pronoun need two")
    right, target, *others = spans
    for found in _occupation().finditer(text):
        if all(found.end() <= start or end <= found.start() for start, end in spans):
            wrong = found.span()
            break
    else:
        raise ValueError("no occupation outside the brackets: the wrong candidate cannot be found")
    label = int(wrong < right)
    ordered = sorted((right, wrong))
    return masked_example(
        match[1],
        lang,
        text,
        target,
        [text[start:end] for start, end in ordered],
        label,
        mentions=(
            *((number, *span) for number, span in enumerate(ordered)),
            *((label, *span) for span in others),
        ),
    )


def write_winobias(path: Path, examples: Iterable[MaskedExample]) -> int:
    """Write examples in WinoBias' form and return their number. Raises `DataError` by rule B6."""
    numbers = count(1)

    def encode(example: MaskedExample) -> bytes:
        # Brackets around the right candidate, its other mentions and the target, from the end on.
        number = str(next(numbers))
        if re.fullmatch("[0-9]{1,9}", example.id):
            number = example.id
        right = {(start, end) for one, start, end in example.mentions if one == example.label}
        text = example.text
        for start, end in sorted({*right, example.target}, reverse=True):
            text = f"{text[:start]}[{text[start:end]}]{text[end:]}"
        line = f"{number} {text}"
        again = _parse_winobias(line, example.lang)
        _require_same(again, example, "text", "candidates", "label", "target", "mentions")
        return encode_row([line])

    return write_records(path, examples, encode)


def _require_same(again: MaskedExample, example: MaskedExample, *fields: str) -> None:
    """Raise `ValueError` where reading gives other values of the fields than were written."""
    for field in fields:
        if getattr(again, field) != getattr(example, field):
            raise ValueError(f"the example would be read with another {field}")


WINOBIAS = line_format(
    "winobias",
    "WinoBias' numbered lines with brackets",
    ".winobias.txt",
    _parse_winobias,
    write_winobias,
    suits=lambda name, head: (
        (first := _NUMBERED.fullmatch(head.partition("\n")[0])) is not None
        and len(_BRACKETS.findall(first[2])) > 1
    ),
)


SENTENCES = ("sentid", "sentence")

_SENTID = re.compile(r"([^.]{1,200})\.([^.]{1,200})\.([01])\.(male|female|neutral)\.txt")
_GENDERS = {
    "male": ("he", "his", "him", "himself"),
    "female": ("she", "her", "her", "hers", "herself"),
    "neutral": ("they", "their", "them", "theirs", "themselves"),
}


def _parse_winogender(cells: list[str], lang: str) -> MaskedExample:
    """Make the example of a sentence of Winogender (rules G2 to G5)."""
    sentid, sentence = cells
    match = _SENTID.fullmatch(sentid)
    if match is None:
        raise ValueError(f"sentid {sentid[:60]!r} is not occupation.participant.answer.gender.txt")
    *persons, answer, gender = match.groups()

    def find_only(pattern: str, what: str) -> Span:
        found = [match.span() for match in re.finditer(pattern, sentence, re.IGNORECASE)]
        if len(found) != 1:
            raise ValueError(f"{what} stands {len(found)} times in the sentence, not once")
        return found[0]

    target = find_only(rf"\b(?:{'|'.join(_GENDERS[gender])})\b", f"{gender} pronoun")
    # The candidates as rule G3 has them, with their articles.
    spans = [find_only(rf"\b(?:(?:the|an?) )?{re.escape(one)}\b", one) for one in persons]
    candidates = [sentence[start:end] for start, end in spans]
    mentions = [(number, *span) for number, span in enumerate(spans)]
    return masked_example(
        sentid, lang, sentence, target, candidates, int(answer), mentions=mentions
    )


def write_winogender(path: Path, examples: Iterable[MaskedExample]) -> int:
    """Write examples as Winogender's table, return their number. Raises `DataError` by rule G5."""

    def rows(example: MaskedExample) -> Iterator[list[str]]:
        again = _parse_winogender([example.id, example.text], example.lang)
        _require_same(again, example, "candidates", "target", "label")
        yield [example.id, example.text]

    return write_table(path, SENTENCES, examples, rows)


WINOGENDER = line_format(
    "winogender",
    "Winogender's sentences, with the candidates in their ids",
    ".tsv",
    _parse_winogender,
    write_winogender,
    suits=lambda name, head: head.startswith("\t".join(SENTENCES)),
    headers=(SENTENCES,),
)


BLANK = "_"
ITEMS = ("index", "sentence1", "sentence2", "label", "candidate0", "candidate1")
_KEYS = {"qID", "sentence", "option1", "option2", "answer"}


def read_winogrande(path: Path, lang: str = "en") -> Located:
    """Stream the items of WinoGrande's table, each with the line of its first row."""
    rows = stop_at_faults(lambda path, lang: read_table(path, ITEMS))(path, lang)
    for number, first in rows:
        _, second = next(rows, (0, None))
        if second is None:
            raise DataError("the item's second row is missing", path=path, line=number)
        with naming(path, number):
            example = _parse_winogrande(first, second, lang)
        yield number, example


def _parse_winogrande(first: list[str], second: list[str], lang: str) -> MaskedExample:
    """Make the example of an item's two rows (rules W1 and W2)."""
    for column in (0, 2, 4, 5):
        if first[column] != second[column]:
            raise ValueError(
                f"the item's two rows differ in {ITEMS[column]}: "
                f"{first[column][:40]!r} and {second[column][:40]!r}"
            )
    index, _, after, _, *options = first
    befores = set()
    for row, option in zip((first, second), options, strict=True):
        if not row[1].endswith(option):
            raise ValueError(f"sentence1 does not end in its candidate {option[:40]!r}")
        befores.add(row[1].removesuffix(option))
    if len(befores) > 1:
        raise ValueError("the item's two rows differ before their candidates")
    labels = (first[3], second[3])
    if labels not in (("1", "0"), ("0", "1"), ("0", "0")):
        raise ValueError(f"the labels are {labels[0][:20]!r} and {labels[1][:20]!r}")
    (before,) = befores
    target = len(before), len(before) + len(BLANK)
    label = labels.index("1") if "1" in labels else None
    return masked_example(
        index, lang, before + BLANK + after, target, make_distinct(options), label
    )


def write_winogrande(path: Path, examples: Iterable[MaskedExample]) -> int:
    """Write examples as WinoGrande's table, two rows each, and return their number (rule W5)."""

    def rows(example: MaskedExample) -> Iterator[list[str]]:
        options, (start, end) = two_names(example), example.target
        for number, option in enumerate(options):
            before, label = example.text[:start] + option, str(int(example.label == number))
            yield [example.id, before, example.text[end:], label, *options]

    return write_table(path, ITEMS, examples, rows)


def _parse_winogrande_item(line: str, lang: str) -> MaskedExample:
    """Make the example of a line of WinoGrande (rules W3 and W4)."""
    item = json_records.parse_line(line)
    strange, missing = item.keys() - _KEYS, _KEYS - {"answer"} - item.keys()
    if strange or missing:
        which = f"unknown key {min(strange)!r}" if strange else f"no {min(missing)}"
        raise ValueError(f"{which}; the keys are qID, sentence, option1, option2, answer")
    if not all(isinstance(value, str) for value in item.values()):
        raise ValueError("a value is not a string")
    places = [match.span() for match in re.finditer(BLANK, item["sentence"])]
    if len(places) != 1:
        raise ValueError(f"{len(places)} blanks in the sentence, not one")
    answer = item.get("answer", "")
    if answer not in ("1", "2", ""):
        raise ValueError(f"answer {answer[:20]!r} is neither 1 nor 2")
    return masked_example(
        item["qID"],
        lang,
        item["sentence"],
        places[0],
        make_distinct((item["option1"], item["option2"])),
        int(answer) - 1 if answer else None,
        meta={"answer": ""} if item.get("answer") == "" else {},
    )


def write_winogrande_lines(path: Path, examples: Iterable[MaskedExample]) -> int:
    """Write examples as WinoGrande's lines and return their number (rules W3 and W5)."""

    def encode(example: MaskedExample) -> bytes:
        (first, second), (start, end) = two_names(example), example.target
        if BLANK in example.text[:start] + example.text[end:]:
            raise ValueError(f"the text holds another {BLANK}")
        sentence = example.text[:start] + BLANK + example.text[end:]
        made = {"qID": example.id, "sentence": sentence, "option1": first, "option2": second}
        if example.label is not None:
            made["answer"] = str(example.label + 1)
        elif example.meta.get("answer") == "":
            made["answer"] = ""
        return json.dumps(made).encode() + b"\n"

    return write_records(path, examples, encode)


WINOGRANDE = Format(
    name="winogrande",
    schema="masked-example/1",
    summary="WinoGrande as a table, two rows an item",
    suffix=".tsv",
    read=read_winogrande,
    write=write_winogrande,
    suits=lambda name, head: head.startswith("\t".join(ITEMS)),
)

WINOGRANDE_LINES = line_format(
    "winogrande-jsonl",
    "WinoGrande as released: JSON lines with a sentence, a blank and two options",
    ".jsonl",
    _parse_winogrande_item,
    write_winogrande_lines,
    suits=lambda name, head: (
        head.startswith("{")
        and all(f'"{key}"' in head.partition("\n")[0] for key in _KEYS - {"answer"})
    ),
)


INFERENCES = ("index", "sentence1", "sentence2", "label")

_LONGEST_RUN = 5
_PRONOUNS = frozenset(
    {"he", "him", "his", "himself", "she", "her", "hers", "herself", "it", "its", "itself"}
    | {"they", "them", "their", "theirs"}
)
_WORD = re.compile(r"['’]s\b|\w+(?:['’](?!s\b)\w+)*|[^\w\s]", re.IGNORECASE)


def _parse_wnli(cells: list[str], lang: str) -> MaskedExample:
    """Make the example of a row of WNLI (rules N1 to N4)."""
    index, premise, hypothesis, *labels = cells
    if not premise.strip() or not hypothesis.strip():
        raise ValueError("a sentence is empty")
    if labels not in ([], ["0"], ["1"]):
        raise ValueError(f"label {labels[0][:20]!r} is neither 0 nor 1")
    meta: Meta = {"hypothesis": hypothesis}
    found = align(premise, hypothesis)
    if found is None:
        found, meta["aligned"] = ((0, len(premise)), (0, len(hypothesis))), False
    target, run = found
    return masked_example(
        index,
        lang,
        premise,
        target,
        make_distinct((hypothesis[slice(*run)], premise[slice(*target)])),
        1 - int(labels[0]) if labels else None,
        meta=meta,
    )


def align(premise: str, hypothesis: str) -> tuple[Span, Span] | None:
    """Find the word of the premise and the run of the hypothesis in its place (rule N2)."""
    ours, theirs = (
        [
            ("." if match[0] in ",?!" else match[0].casefold(), match.span())
            for match in _WORD.finditer(text)
        ]
        for text in (premise, hypothesis)
    )
    # Every run of the hypothesis without which its rest is the premise's words around one word.
    # The least is chosen: one in a pronoun's place, then the shortest, then the last.
    words, said = [word for word, _ in ours], [word for word, _ in theirs]
    found = [
        (words[place] not in _PRONOUNS, length, -start, -place)
        for length in range(1, min(_LONGEST_RUN, len(said)) + 1)
        for start in range(len(said) - length + 1)
        if length < len(said)  # else any word would do
        for place in range(start, len(words) - len(said) + start + length)
        if words[place - start : place] == said[:start]
        and words[place + 1 : place + 1 + len(said) - start - length] == said[start + length :]
    ]
    if not found:
        return None
    _, length, start, place = min(found)
    run = theirs[-start : length - start]
    return ours[-place][1], (run[0][1][0], run[-1][1][1])


def write_wnli(path: Path, examples: Iterable[MaskedExample]) -> int:
    """Write examples as WNLI's table and return their number. Raises `DataError` by rule N5."""
    rest = iter(examples)
    first = next(rest, None)
    labelled = first is None or first.label is not None

    def rows(example: MaskedExample) -> Iterator[list[str]]:
        if (example.label is not None) != labelled:
            raise ValueError("some examples have a label and some have none")
        hypothesis = example.meta.get("hypothesis")
        if not isinstance(hypothesis, str):
            raise ValueError("the meta has no hypothesis")
        labels = [] if example.label is None else [str(1 - example.label)]
        cells = [example.id, example.text, hypothesis, *labels]
        again = _parse_wnli(cells, example.lang)
        _require_same(again, example, "target", "candidates")
        yield cells

    whole = chain([] if first is None else [first], rest)
    return write_table(path, INFERENCES if labelled else INFERENCES[:3], whole, rows)


WNLI = line_format(
    "wnli",
    "WNLI's table: a premise, and a hypothesis with the pronoun replaced",
    ".tsv",
    _parse_wnli,
    write_wnli,
    suits=lambda name, head: (
        head.partition("\n")[0].rstrip("\r") in ("\t".join(INFERENCES), "\t".join(INFERENCES[:3]))
    ),
    headers=(INFERENCES, INFERENCES[:3]),
)
