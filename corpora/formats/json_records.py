"""Stream the objects of a JSON array or of JSON Lines, each with the line it begins at.

The standard decoder reads one object after another from a window of the file: it is faster than
the streaming parsers at hand, and these cannot say at which line of the file an object stands.
Strictly JSON: NaN, a key that comes twice, half a surrogate pair are errors.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError, naming
from corefmill.corpora.files.writing import replacing

Object = dict[str, Any]

_CHUNK = 1 << 20
_BLANK = " \t\n\r"
_FLAT = json.JSONEncoder(separators=(",\n", ": "), allow_nan=False)


def _refuse_repeated_keys(pairs: list[tuple[str, Any]]) -> Object:
    """Make an object of its pairs. Raises `ValueError` where a key comes twice."""
    made = dict(pairs)
    if len(made) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice[:40]!r} comes twice in an object")
    return made


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_refuse_repeated_keys, parse_constant=_refuse_constant
)


def parse_line(line: str) -> Object:
    """Parse the object of a line; raise `ValueError`."""
    try:
        found = _DECODER.decode(line)
    except json.JSONDecodeError as error:
        fault = f"{error.msg.removesuffix(' at')} at column {error.colno}"
        raise ValueError(f"not JSON: {fault}") from None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not JSON: {str(error)[:200]}") from None
    return _check_object(found, line)


def loads(line: str, path: Path, number: int) -> Object:
    """Parse the object of a line; raise `DataError` with path and line."""
    with naming(path, number):
        return parse_line(line)


def _check_object(found: Any, source: str) -> Object:
    """Return a parsed object. Raises `ValueError` for another value or half a surrogate pair."""
    if not isinstance(found, dict):
        raise ValueError(f"not an object but {json.dumps(found)[:40]}")
    if "\\ud" in source or "\\uD" in source:
        try:
            json.dumps(found, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise ValueError("not JSON: half a surrogate pair") from None
    return found


class _Window:
    """The part of a file from `position`, in line `line`."""

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self.text, self.position, self.line, self.ended = "", 0, 1, False
        self._file, self._path = file, path
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()

    def grow(self, size: int) -> None:
        """Read `size` bytes more, and drop the text before `position`."""
        raw = self._file.read(size)
        self.text, self.position = self.text[self.position :], 0
        self.ended = not raw
        try:
            self.text += self._decoder.decode(raw, final=not raw)
        except UnicodeDecodeError as error:
            line = self.line + self.text.count("\n") + bytes(error.object).count(10, 0, error.start)
            raise DataError(
                "not UTF-8", path=self._path, line=line, remedy="convert the file to UTF-8"
            ) from None

    def advance(self, position: int) -> None:
        self.line += self.text.count("\n", self.position, position)
        self.position = position

    def peek(self) -> str:
        """Return the next character but blanks, "" at the end, without passing it."""
        while True:
            position = self.position
            while position < len(self.text) and self.text[position] in _BLANK:
                position += 1
            self.advance(position)
            if position < len(self.text):
                return self.text[position]
            if self.ended:
                return ""
            self.grow(_CHUNK)


def read_array(path: Path) -> Iterator[tuple[int, Object]]:
    """Stream (line, object) of a file with one array of objects.

    Memory holds one object and a window of about a megabyte. Raises `DataError` with line and
    record number for anything else, and for an object of over `lines.LONGEST` characters.
    """
    with disk.open_file(path) as file:
        window = _Window(file, path)
        first = window.peek()
        if first != "[":
            what = f"{first!r}" if first else "nothing"
            raise DataError(f"an array was expected, here stands {what}", path=path, line=1)
        window.advance(window.position + 1)
        number = 0
        while number or window.peek() != "]":
            number += 1
            if window.peek() != "{":
                raise DataError(
                    f"record {number} is not an object",
                    path=path,
                    line=window.line,
                    remedy="an array of objects was expected; is the file cut off?",
                )
            yield window.line, _next_object(window, path, number)
            if window.peek() != ",":
                break
            window.advance(window.position + 1)
        if window.peek() != "]":
            raise DataError(
                f"after record {number} a comma or the array's end was expected",
                path=path,
                line=window.line,
                remedy="is the file cut off?",
            )
        window.advance(window.position + 1)
        if window.peek():
            raise DataError("something stands after the array", path=path, line=window.line)


def read_stream(path: Path) -> Iterator[tuple[int, Object]]:
    """Stream (line, object) of objects that follow each other, each over any number of lines.

    Memory and errors are those of `read_array`.
    """
    with disk.open_file(path) as file:
        window, number = _Window(file, path), 0
        while sign := window.peek():
            number += 1
            if sign != "{":
                raise DataError(f"record {number} is not an object", path=path, line=window.line)
            yield window.line, _next_object(window, path, number)


def _next_object(window: _Window, path: Path, number: int) -> Object:
    """Parse the next object of an array, growing the window until the object is whole."""
    while True:
        text, start = window.text, window.position
        try:
            found, end = _DECODER.raw_decode(text, start)
            break
        except json.JSONDecodeError as error:
            # An error well before the window's end is none of its making.
            cut = error.pos >= len(text) - 16 or error.msg.startswith("Unterminated string")
            if window.ended or not cut:
                line = window.line + text.count("\n", start, error.pos)
                fault = f"not JSON in record {number}: {error.msg}"
                raise DataError(fault, path=path, line=line) from None
        except (ValueError, RecursionError) as error:
            fault = f"not JSON in record {number}: {error}"
            raise DataError(fault, path=path, line=window.line) from None
        if len(text) - start > disk.LONGEST_LINE:
            raise DataError(
                f"record {number} is over {disk.LONGEST_LINE // 2**20} Mi characters long",
                path=path,
                line=window.line,
                remedy="no record is that long: is this the right format?",
            )
        window.grow(max(_CHUNK, len(text) - start))
    line = window.line
    window.advance(end)
    with naming(path, line):
        return _check_object(found, text[start:end])


def read(path: Path) -> Iterator[tuple[int, Object]]:
    """Stream (line, object) of a file with an array of objects or with one a line."""
    if disk.read_head(path, 1 << 10).lstrip().startswith("["):
        yield from read_array(path)
    else:
        for number, line in disk.read_lines(path):
            yield number, loads(line, path, number)


def write_array(path: Path, objects: Iterable[Mapping[str, Any]]) -> int:
    """Write an array, a line a value, no indent and no last line end, and return its length.

    These are the bytes that the released WEC and KnowRef files have (what is not ASCII, escaped).
    """
    count = 0
    with replacing(path) as out:
        for made in objects:
            out.write(b",\n" if count else b"[\n")
            out.write(_dump_unindented(made).encode())
            count += 1
        out.write(b"\n]" if count else b"[]")
    return count


def _dump_unindented(made: Mapping[str, Any]) -> str:
    """Dump an object as `json.dumps` with an indent of 0, but many times as fast."""
    fields = []
    for key, value in made.items():
        if not isinstance(value, list | dict):
            field = _FLAT.encode(value)
        elif isinstance(value, list) and not any(isinstance(v, list | dict) for v in value):
            field = f"[\n{_FLAT.encode(value)[1:-1]}\n]" if value else "[]"
        else:
            field = json.dumps(value, indent=0)
        fields.append(f"{_FLAT.encode(key)}: {field}")
    return "{\n" + ",\n".join(fields) + "\n}" if fields else "{}"


def collect_rest(
    raw: Mapping[str, Any], made: Mapping[str, Any], name: str, order: Sequence[str]
) -> Object:
    """Collect the values and the key order of `raw` missing in `made`, to be kept in meta.

    `name` holds the values that differ; `name_keys` holds the keys, where `restore` would come to
    other keys or another order. Each is left out where there is nothing to say.
    """

    def is_same(one: Any, other: Any) -> bool:
        # 1, 1.0 and true are equal, but not the same JSON.
        if type(one) is not type(other) or one != other:
            return False
        return not isinstance(one, list | dict) or json.dumps(one) == json.dumps(other)

    values = {
        key: value for key, value in raw.items() if key not in made or not is_same(made[key], value)
    }
    meta: Object = {name: values} if values else {}
    if list(raw) != _order_keys({**made, **values}, order):
        meta[f"{name}_keys"] = list(raw)
    return meta


def restore(
    made: Mapping[str, Any], meta: Mapping[str, Any], name: str, order: Sequence[str]
) -> Object:
    """Restore an object: add the values kept by `collect_rest` to `made`.

    Keys come in the order given, others after them. Raises `ValueError` for meta of another form.
    """
    values = meta.get(name, {})
    if not isinstance(values, dict):
        raise ValueError(f"meta.{name} is not an object")
    whole = {**made, **values}
    keys = meta.get(f"{name}_keys", None)
    if keys is None:
        keys = _order_keys(whole, order)
    if not isinstance(keys, list) or not all(isinstance(k, str) and k in whole for k in keys):
        raise ValueError(f"meta.{name}_keys names keys that the record lacks")
    return {key: whole[key] for key in keys}


def _order_keys(whole: Object, order: Sequence[str]) -> list[str]:
    return [*(key for key in order if key in whole), *(key for key in whole if key not in order)]
