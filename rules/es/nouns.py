"""What Spanish nouns show by their form: one in unstressed vowel and s has no other plural."""

from corefmill.rules.nominal import alike_in_s
from corefmill.rules.noun_ends import by_end

NOUNS = alike_in_s("[aeiouáéíóú][^aeiouáéíóú]{1,3}[aeiou]s|x", by_end("es"))
