"""Spanish articles and demonstratives, and what `de` and `a` are written as with `el`."""

from corefmill.rules.articles import Articles
from corefmill.rules.tables import table

_TABLE = table("es", "articles")
_ROWS = [*_TABLE["paradigm"], *table("es", "demonstratives")["paradigm"]]
_FAMILIES = ("definite", "indefinite", "this", "that", "yonder")
"""Of the rows, in their order."""
ARTICLES = Articles(
    {
        **_TABLE,
        "families": {
            family: {key: [row[key]] for key in ("ms", "fs", "mp", "fp")}
            for family, row in zip(_FAMILIES, _ROWS, strict=True)
        },
    }
)
