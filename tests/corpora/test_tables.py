"""Tables: Markdown with one way of escaping, and plain columns."""

from __future__ import annotations

from corefmill.corpora.tables import columns, plain, table


def test_a_cell_cannot_end_its_column() -> None:
    assert table(("name", "n"), [("a|b", 1234), ("c", "-")]) == [
        "| name | n |",
        "|---|---|",
        "| a\\|b | 1,234 |",
        "| c | - |",
    ]


def test_columns_of_numbers_are_set_to_the_right() -> None:
    assert table(("name", "n"), [("a", "1")], 1)[1] == "| --- | ---: |"
    assert columns(("name", "n"), [("a", "100"), ("bcdef", "1")], 1) == [
        "name     n",
        "a      100",
        "bcdef    1",
    ]


def test_a_text_has_no_mark_up() -> None:
    assert plain("a *b*\n[c](d) `e` <f>") == r"a \*b\* \[c\](d) \`e\` \<f\>"
