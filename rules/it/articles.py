"""Italian articles, the prepositions that hold one, and the other words that fit what follows."""

from __future__ import annotations

from corefmill.rules.articles import Articles
from corefmill.rules.it.sounds import Onset, onset
from corefmill.rules.tables import table

_ORDER = (Onset.PLAIN, Onset.STRONG, Onset.VOWEL)
ARTICLES = Articles(table("it", "articles"), lambda following: _ORDER.index(onset(following)))
form, definite, fitted = ARTICLES.form, ARTICLES.definite, ARTICLES.fitted
opened, contracts, contracted = ARTICLES.opened, ARTICLES.contracts, ARTICLES.contracted
