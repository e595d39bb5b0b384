"""What French nouns show by their form: one that ends in s, x or z is its own plural (voix)."""

from corefmill.rules.nominal import alike_in_s
from corefmill.rules.noun_ends import by_end

NOUNS = alike_in_s("[sxz]", by_end("fr"))
