"""What languages are called in English: on cards, in files of corpora, in what a model is told."""

from __future__ import annotations

from corefmill.corpora import beside


def name(lang: str) -> str:
    """The name of a language, its code where the table has none."""
    found: dict[str, str] = beside.table(__file__, "languages")
    return found.get(lang, lang)


def key(lang: str) -> str:
    """The name as a column of a file, or a key of JSON, has it: `english`."""
    return name(lang).lower()


def code(key: str) -> str:
    """The language whose name, as `key` writes it, this is; the same where the table has none."""
    found: dict[str, str] = beside.table(__file__, "languages")
    return next((lang for lang, name in found.items() if name.lower() == key), key)
