"""KnowRef: sentences from the web with a pronoun, and two persons whose names were swapped.

The test set's shape, an array of objects:
1. `sentence_with_pronoun` is the text, with the pronoun in brackets: `Ann met Bo , so [she] left .`
   Without brackets it is an error. With several pairs (one of the 969 of the rest) the first is the
   target, the label is None, since the record does not say of which pronoun it is, and
   `meta["unclear"]` says so.
2. `candidate0` and `candidate1` are strings, or lists of one string. `correct_candidate`, if there,
   is one of them. It is the label; `correct_candidate_idx` is not asked, for it counts otherwise
   (80 of the first 300 of the test set name the other candidate, where reading the sentences
   shows that `correct_candidate` is right).
3. Where both candidates are the same string (one of the 300), the second ends in ` (2)`, and the
   label is None, since the record does not say which is meant.
4. The id is the record's number in the file: `oiginal_id` (so spelt) is not each record's own.
KnowRef-60K's shape, an object a line:
5. `swapped_sentence` is the text. Its first word that is a pronoun is the target, as the set's
   makers have it: he she it they him her them his hers these those, in small letters, between
   blanks. `candidate0` and `candidate1` are strings; `correct_candidate` is `candidate_0` or
   `candidate_1`, and decides even where they are the same.
6. The id is the line's number.
Both:
7. A file is an array or has one object a line, and each object is of one of the shapes.
8. All other keys, and values that the record would not make again, go to `meta["knowref"]`, the
   keys' order to `meta["knowref_keys"]` where it is not the writer's.
9. The writer makes the test set's shape. It needs two candidates, and refuses a text with brackets.
   Source, sentences, mentions and other meta are not carried.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from corefmill.corpora.files.errors import DataError
from corefmill.corpora.formats import json_records
from corefmill.corpora.formats.form import (
    Format,
    Located,
    make_distinct,
    masked_example,
    naming_record,
    two_names,
)
from corefmill.corpora.records import UNCLEAR, MaskedExample

_PRONOUN = re.compile(r"(?<!\S)(?:he|she|it|they|him|her|them|his|hers|these|those)(?!\S)")
_BRACKETS = re.compile(r"\[([^\[\]]+)\]")
_TEST_KEYS: tuple[str, ...] = (
    "is_pronoun_person",
    "is_agree_on_type",
    "is_pronoun_plural",
    "correct_candidate_idx",
    "is_pronoun_male",
    "sentence_with_pronoun",
    "candidate1",
    "candidate0",
    "is_agree_on_number",
    "correct_candidate",
    "original_sentence",
    "is_agree_on_gender",
    "oiginal_id",
)
_60K_KEYS = {"swapped_sentence", "candidate0", "candidate1", "correct_candidate"}

Object = dict[str, Any]


def read(path: Path, lang: str = "en") -> Located:
    """Stream the examples of either shape, with lines. Raises `DataError` for a broken rule."""
    for count, (number, item) in enumerate(json_records.read(path), 1):
        try:
            if "sentence_with_pronoun" in item:
                example = _parse_test(item, count, lang)
                kept = json_records.collect_rest(item, _test_object(example), "knowref", _TEST_KEYS)
            elif "swapped_sentence" in item:
                example = _parse_60k(item, count, lang)
                rest = {key: value for key, value in item.items() if key not in _60K_KEYS}
                kept = {"knowref": rest} if rest else {}
            else:
                raise ValueError("neither sentence_with_pronoun nor swapped_sentence")
        except ValueError as error:
            raise DataError(f"record {count}: {error}", path=path, line=number) from None
        yield number, replace(example, meta=kept | example.meta)


def _get_string(item: Object, key: str) -> str:
    """Return a string, or the only one of a list, by its key. Raises `ValueError` without one."""
    value = item.get(key)
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if not isinstance(value, str) or not value:
        raise ValueError(f"{key} is not a string" if key in item else f"no {key}")
    return value


def _parse_test(item: Object, count: int, lang: str) -> MaskedExample:
    """Make the example of a record of the test set's shape (rules 1 to 4)."""
    marked = _get_string(item, "sentence_with_pronoun")
    found = list(_BRACKETS.finditer(marked))
    text = _BRACKETS.sub(r"\1", marked)
    if not found or "[" in text or "]" in text:
        raise ValueError("sentence_with_pronoun has no pair of brackets, or an odd one")
    names = _get_string(item, "candidate0"), _get_string(item, "candidate1")
    label = None
    if item.get("correct_candidate") is not None:
        right = _get_string(item, "correct_candidate")
        if right not in names:
            raise ValueError(f"correct_candidate {right[:40]!r} is neither candidate")
        label = None if len(found) > 1 or names[0] == names[1] else names.index(right)
    start = found[0].start()
    target = start, start + len(found[0][1])
    meta = {UNCLEAR: f"{len(found)} pronouns are marked"} if len(found) > 1 else {}
    return masked_example(str(count), lang, text, target, make_distinct(names), label, meta=meta)


def _parse_60k(item: Object, count: int, lang: str) -> MaskedExample:
    """Make the example of a line of KnowRef-60K (rules 5 and 6)."""
    text = _get_string(item, "swapped_sentence")
    found = _PRONOUN.search(text)
    if found is None:
        raise ValueError("no pronoun in swapped_sentence")
    names = make_distinct((_get_string(item, "candidate0"), _get_string(item, "candidate1")))
    right = item.get("correct_candidate")
    if right not in ("candidate_0", "candidate_1"):
        raise ValueError(f"correct_candidate {str(right)[:40]!r} is not candidate_0 or candidate_1")
    return masked_example(str(count), lang, text, found.span(), names, int(right[-1]))


def _test_object(example: MaskedExample) -> Object:
    """Make the test set's object of an example. Raises `ValueError` by rule 9."""
    names, (start, end) = two_names(example), example.target
    text = example.text
    if "[" in text or "]" in text:
        raise ValueError("the text holds brackets")
    made: Object = {
        "sentence_with_pronoun": f"{text[:start]}[{text[start:end]}]{text[end:]}",
        "candidate1": [names[1]],
        "candidate0": [names[0]],
        "original_sentence": [text],
    }
    if example.label is not None:
        made["correct_candidate_idx"] = example.label
        made["correct_candidate"] = [names[example.label]]
    return made


def write(path: Path, examples: Iterable[MaskedExample]) -> int:
    """Write examples in the test set's shape; return their number. Raises `DataError` (rule 9)."""

    def make_objects() -> Iterator[Object]:
        for example in examples:
            with naming_record(example, path):
                made = json_records.restore(
                    _test_object(example), example.meta, "knowref", _TEST_KEYS
                )
            yield made

    return json_records.write_array(path, make_objects())


FORMAT = Format(
    name="knowref",
    schema="masked-example/1",
    summary="KnowRef's test set: an array of objects, the pronoun in brackets",
    suffix=".json",
    read=read,
    write=write,
    suits=lambda name, head: (
        head.lstrip()[:1] in ("[", "{")
        and '"sentence_with_pronoun"' in head
        and '"candidate0"' in head
        and '"meta":' not in head  # of a record of our own, which keeps these keys
    ),
)

LINES_60K = Format(
    name="knowref-60k",
    schema="masked-example/1",
    summary="KnowRef-60K: JSON lines with a swapped sentence",
    suffix=".jsonl",
    read=read,
    write=None,
    suits=lambda name, head: (
        head.lstrip()[:1] in ("[", "{")
        and '"swapped_sentence"' in head
        and '"sentence_with_pronoun"' not in head
    ),
)
