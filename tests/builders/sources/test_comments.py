"""What is prose in a comment."""

from __future__ import annotations

import pytest

from corefmill.builders.sources.comments import prose


def test_quotations_code_tables_and_lists_are_no_prose() -> None:
    body = (
        "&gt; Ann met Bo\n\nShe left\nhim.\n\n    code\n\n* an item\n1. another\n|a|b|\n"
        "# Head\n\nEnd."
    )
    assert list(prose(body)) == ["She left him.", "End."]


@pytest.mark.parametrize(
    ("body", "plain"),
    [
        ("**Ann** _met_ *Bo* ~~not~~ `x`", "Ann met Bo not x"),
        ("[Ann](https://a.example/b) met u/bo at https://c.example", "Ann met at"),
        (r"Ann \_met\_ Bo \*", "Ann _met_ Bo *"),
        ("snake_case &amp; Bo &lt;3", "snake_case & Bo <3"),
    ],
)
def test_mark_up_is_taken_off(body: str, plain: str) -> None:
    assert list(prose(body)) == [plain]


@pytest.mark.parametrize("body", ["[deleted]", "[removed] ", "", " \n "])
def test_what_was_deleted_has_none(body: str) -> None:
    assert list(prose(body)) == []


def test_hostile_signs_take_no_time() -> None:
    """Each is longer than any comment; a pattern that goes back would take hours."""
    for sign in ("[", "*_", "[]", "[a](", "\\", "_", "https://"):
        list(prose(sign * 50_000))
