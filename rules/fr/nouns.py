"""What French nouns show by their form: one that ends in s, x or z is its own plural (voix)."""

from corefmill.rules.nominal import alike_in_s

NOUNS = alike_in_s("[sxz]")
