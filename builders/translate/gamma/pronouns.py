"""Put a pronoun or demonstrative in its place, by its syntactic role and its entity's class.

An object becomes a clitic beside its verb or written onto it: lo vide, lo ha visto, vederlo,
glielo. A possessive moves to the noun that it belongs to.
"""

from __future__ import annotations

import re
from dataclasses import replace

from corefmill.builders.translate.gamma.edits import (
    DATIVES,
    OBJECTS,
    LeftContext,
    MentionToPlace,
    TextEdits,
    WordBefore,
    begins_sentence,
    capital,
    find_word_between,
    fit_before,
    read_left,
    small,
    word_before,
)
from corefmill.builders.translate.gamma.language import table
from corefmill.corpora.records import Span
from corefmill.rules.tree import GENDERS, NUMBERS, feature, is_relation, with_initial_of

_REACH = 4
"""Words to the left of `di` among which a determiner is looked for."""
_NOUNS = ("NOUN", "PROPN")
_FOLLOWING = re.compile(r"[ \t]+([^\W\d_]+)")


def is_pronoun(form: str, tag: str) -> bool:
    """Tell whether the tables of pronouns have the English word with this tag."""
    english = table("english")["pronouns"]
    lists = ("subject", "object", "either", "reflexive", "possessive")
    if tag == "DT":
        return form in english["demonstrative"]
    return tag in ("PRP", "PRP$") and any(form in english[name] for name in lists)


def place(edits: TextEdits, owner: int, pronoun: MentionToPlace) -> str:
    """Put the target's pronoun in place of its placeholder, and return its role.

    Without a tree objects stay where they are.
    """
    word = edits.tree.at(pronoun.span[0])
    english = table("english")["pronouns"]
    if edits.mode == "clean" and pronoun.is_subject and pronoun.form in english["object"]:
        pronoun = replace(pronoun, relation="obj")  # of a clause without a finite verb: let her go
    if pronoun.tag == "DT":
        name = "near" if pronoun.form in ("this", "these") else "far"
        entity, number = pronoun.entity, english["demonstrative"][pronoun.form]
        forms = edits.language.pronouns["demonstratives"][name]
        form = forms[f"{entity.type}-{entity.gender}{number}"]
        return _write(edits, owner, pronoun, form, "demonstrative")
    if pronoun.tag == "PRP$":
        how = _place_possessive(edits, owner, pronoun.entity.number, word)
        how = how or _place_before_noun(edits, owner, pronoun.entity.number)
        return how or _replace_placeholder(edits, owner, pronoun, "strong")
    if pronoun.form in english["reflexive"]:
        return _place_reflexive(edits, owner, pronoun, word)
    return _place_personal(edits, owner, pronoun)


def _place_personal(edits: TextEdits, owner: int, pronoun: MentionToPlace) -> str:
    """Place a personal pronoun behind a preposition, as a subject, or as a verb's object."""
    word = edits.tree.at(pronoun.span[0])
    preposition = read_left(edits, edits.spans[owner][0]).preposition
    # The preposition before persons as objects (veo a Ana) does not govern a pronoun.
    if preposition and not (preposition == edits.language.persons and pronoun.relation in OBJECTS):
        if edits.tree.spans and (how := _place_behind(edits, owner, pronoun, preposition)):
            return how
        return _replace_placeholder(edits, owner, pronoun, "strong")
    verb = None
    if pronoun.relation in ("", *OBJECTS, *DATIVES, "xcomp"):
        verb = find_verb(edits, word, pronoun.relation)
    role = _find_role(edits, pronoun, word, verb)
    if role is None:  # a subject at the beginning of a clause, else an object
        last = word_before(edits.text, edits.spans[owner][0])
        opens = last is None or last.form.lower() in edits.language.pronouns["openers"]
        role = "subject" if opens else "object"
    if role == "subject":
        return _replace_placeholder(edits, owner, pronoun, role)
    if verb is not None:
        if _is_verb_of("dative", edits, verb) and pronoun.entity.type == "human":
            role = "dative"
        elif role == "dative" and _is_verb_of("predicative", edits, verb):
            role = "object"
        name = "dative_clitic" if role == "dative" else "clitic"
        form = edits.language.pronouns["forms"][name][pronoun.forms_key]
        if how := attach_clitic(edits, owner, verb, form):
            return how
    return _replace_placeholder(edits, owner, pronoun, role)


def _is_verb_of(kind: str, edits: TextEdits, verb: int) -> bool:
    """Whether a verb takes the dative, or describes its object: they deemed him a victim."""
    return look_up_lemma(edits, verb) in edits.language.pronouns["verbs"][kind]


def _place_behind(
    edits: TextEdits, owner: int, pronoun: MentionToPlace, preposition: str
) -> str | None:
    """Place a pronoun behind a preposition that does not govern it, and return the pronoun's role.

    `a X` of a verb that takes the dative is a clitic: diede a X, gli diede. Before the subject of a
    clause dopo, oltre and the like are adverbs: dopo X venne. Returns None, with nothing changed,
    for a pronoun that the preposition governs.
    """
    word = edits.tree.at(pronoun.span[0])
    subject = pronoun.form in table("english")["pronouns"]["subject"] or (
        pronoun.is_subject and word is not None and is_relation(edits.tree.tokens[word], "nsubj")
    )
    if subject and find_word_between(edits.language, preposition):
        return _replace_placeholder(edits, owner, pronoun, "subject")
    receives = preposition == edits.language.pronouns["prepositions"]["to"]
    verb = find_verb(edits, word) if receives else None
    if subject or verb is None or not _is_verb_of("dative", edits, verb):
        return None
    form = edits.language.pronouns["forms"]["dative_clitic"][pronoun.forms_key]
    return attach_clitic(edits, owner, verb, form)


def _find_role(
    edits: TextEdits, pronoun: MentionToPlace, word: int | None, verb: int | None
) -> str | None:
    """Decide whether a pronoun is subject, object or dative, by English, else by the tree."""
    english = table("english")["pronouns"]
    relation = edits.tree.tokens[word].deprel if word is not None else None
    if pronoun.form in english["subject"] or pronoun.is_subject:
        return "subject"
    if verb is None and relation in ("nsubj", "nsubj:pass"):
        return "subject"  # an object in English may be a subject in Italian (piacere)
    if pronoun.relation in DATIVES:
        return "dative"
    if pronoun.form in english["object"] or pronoun.relation in OBJECTS:
        return "object"
    return "object" if verb is not None and relation in ("obj", "iobj") else None


def _replace_placeholder(edits: TextEdits, owner: int, pronoun: MentionToPlace, role: str) -> str:
    """Write the pronoun of a role in the place of its placeholder."""
    known = edits.language.pronouns
    forms = known["forms"]
    if role == "dative":
        strong = forms["strong"][pronoun.forms_key]
        return _write(edits, owner, pronoun, strong, role, known["prepositions"]["to"])
    name = f"paper_{role}" if edits.mode == "paper" and f"paper_{role}" in forms else role
    person = role == "object" and pronoun.entity.type == "human" and pronoun.relation in OBJECTS
    preposition = edits.language.persons if person else ""
    return _write(edits, owner, pronoun, forms[name][pronoun.forms_key], role, preposition)


def _place_reflexive(
    edits: TextEdits, owner: int, pronoun: MentionToPlace, word: int | None
) -> str:
    """Place a reflexive pronoun: si at its verb, se stesso, or stesso behind a noun."""
    how = edits.language.pronouns["clitics"]
    forms = edits.language.pronouns["forms"]
    itself = forms["reflexive"][pronoun.forms_key]
    if read_left(edits, edits.spans[owner][0]).preposition:
        return _write(edits, owner, pronoun, itself, "reflexive")
    verb = find_verb(edits, word, pronoun.relation)
    if pronoun.relation and pronoun.relation not in (*OBJECTS, *DATIVES, "obl", "xcomp"):
        form = forms["emphatic"][pronoun.forms_key]
        if pronoun.relation != "appos":
            form = f"{forms['strong'][pronoun.forms_key]} {form}"
        return _write(edits, owner, pronoun, form, "emphatic")
    # With an auxiliary, si would turn avere into essere: ha ferito se stesso, si ferì.
    simple = verb is not None and feature(edits.tree.tokens[verb], "VerbForm") != "Part"
    simple = simple or how["reflexive_before_auxiliary"]
    third = verb is not None and feature(edits.tree.tokens[verb], "Person") in (None, "3")
    leans = verb is not None and simple and third
    if verb is None or not (leans and attach_clitic(edits, owner, verb, how["reflexive"])):
        _write(edits, owner, pronoun, itself, "reflexive", edits.language.persons)
    return "reflexive"


def _write(
    edits: TextEdits,
    owner: int,
    pronoun: MentionToPlace,
    form: str,
    role: str,
    preposition: str = "",
) -> str:
    """Replace a placeholder by `form`, with its preposition but without an article before."""
    start, end = edits.spans[owner]
    before = read_left(edits, start)
    if not edits.free(before.start, end, owner):
        before = type(before)(start)
    lead = before.preposition or preposition
    if role in ("strong", "object"):
        lead = f"{lead} {find_word_between(edits.language, lead)}".rstrip()
    if lead and edits.text[before.start].isupper() and before.start < start:
        lead = lead[:1].upper() + lead[1:]
    lead += " " * bool(lead)
    edits.put(owner, before.start, end, form, lead=lead)
    if not lead:
        fit_before(edits, owner, determined=True)
    return role


def _place_possessive(edits: TextEdits, owner: int, number: str, word: int | None) -> str | None:
    """Put the possessive of a singular or plural possessor at its noun, and set its span.

    The possessive stands behind the noun's determiner. Without a determiner it replaces `di X` (a
    casa sua), or stands with an article before a noun with a complement (disturbi di cuore di X).
    In a language without an article before possessives, it replaces the article or stands before
    the noun, and stands after the noun if that has another determiner (un amigo suyo).
    Returns "possessive" or "possessive_after", or None with nothing changed if there is no `di`
    before the placeholder, or no noun before that `di`.
    """
    start, end = edits.spans[owner]
    before = read_left(edits, start)
    whose = before.preposition in edits.language.pronouns["prepositions"]["of"]
    last = word_before(edits.text, before.start)
    if not whose or last is None or last.form.endswith("'"):
        return None
    if not edits.free(before.start, end, owner):
        return None
    # First, the possessed noun and its determiner: the placeholder hangs on this noun, to the left,
    # or on a complement of the noun (disturbi di cuore di X).
    noun = None if word is None else edits.tree.head(word)
    if word is None or noun is None or noun > word or edits.tree.tokens[noun].upos not in _NOUNS:
        noun = None
    last_noun, noun = noun, None if noun is None else _find_owned(edits, noun)
    determiner = _find_determiner(edits, owner, before.start, noun)
    if determiner is None and noun is None:
        return None
    # Second, the form of the possessive. Third, its place: before a noun without determiner (i suoi
    # disturbi), behind or instead of an article or definite determiner, else after the noun.
    key = "".join(_find_agreement(edits, last, determiner, noun))
    possessives = edits.language.pronouns["possessives"]
    form, article = possessives[number][key], possessives["article"]
    known = edits.language.articles.split(determiner.form) if determiner is not None else None
    bare = before.start - (edits.text[before.start - 1] == " "), end  # di X, with its blank
    if known is None or determiner is None:
        inner = noun is not None and (noun != last_noun or not article)
        first = _find_beginning(edits, owner, noun or 0) if inner else None
        if first is not None:
            edits.put(owner, *bare, "")
            before = read_left(edits, first)
            _put_before(edits, owner, before, (first, first), form, key)
            return "possessive"
    elif article or known.family == "definite":
        edits.put(owner, *bare, "")
        after = edits.text[determiner.start + len(determiner.form) :]
        stop = len(edits.text) - len(after.lstrip(" \t"))  # where the next word begins
        if article:
            lead = edits.language.articles.fit(determiner.form, form, key[0], key[1]) + " "
            edits.put(owner, determiner.start, stop, form, lead=lead, rest=" ")
        else:
            before = LeftContext(determiner.start, known.preposition)
            _put_before(edits, owner, before, (stop, stop), form, key)
        return "possessive"
    edits.put(owner, before.start, end, possessives.get("after", possessives)[number][key])
    return "possessive_after"


def _find_owned(edits: TextEdits, noun: int) -> int:
    """Find the owned noun of a phrase of two: of disturbi di cuore it is disturbi."""
    tree, kinds = edits.tree, edits.language.pronouns["prepositions"]["of_kind"]
    while (head := tree.head(noun)) is not None and head < noun:
        before = [tree.form(child).lower() for child in tree.children(noun) if child < noun]
        if tree.tokens[head].upos not in _NOUNS or len(before) != 1 or before[0] not in kinds:
            break
        noun = head
    return noun


def _find_beginning(edits: TextEdits, owner: int, noun: int) -> int | None:
    """Find where a possessive can stand before a noun and its adjectives, None if nowhere."""
    first = min([noun, *edits.tree.children(noun, "amod", "nummod")])
    span = edits.words[first]
    if span is None or not edits.free(span[0], span[0] + 1, owner):
        return None
    capital_stays = edits.tree.tokens[first].upos == "PROPN"
    capital_stays |= edits.language.pronouns["possessives"]["article"]
    if capital_stays and begins_sentence(edits.text, span[0]):
        return None
    before = read_left(edits, span[0])
    return span[0] if edits.free(before.start, span[0], owner) else None


def _put_before(
    edits: TextEdits, owner: int, before: LeftContext, old: Span, form: str, key: str
) -> None:
    """Replace `old` and the determiner before it by the possessive and its article."""
    start, end = old
    articles = edits.language.articles
    article = ""
    if edits.language.pronouns["possessives"]["article"]:
        article = articles.definite(key[0], key[1], form)
    lead = before.preposition
    both = articles.contracts(lead) and article
    lead = articles.contract(lead, article) if both else f"{lead} {article}".strip()
    if before.start < start:
        lead = with_initial_of(edits.text[before.start], lead)
        form = form if lead else with_initial_of(edits.text[before.start], form)
    if before.start == start == end and begins_sentence(edits.text, start):
        edits.replace(start, start + 1, small(edits.text[start]), owner)
        form = capital(form)
    rest = " " * (start == end)
    edits.put(owner, before.start, end, form, lead=lead + " " * bool(lead), rest=rest)


def _find_determiner(
    edits: TextEdits, owner: int, start: int, noun: int | None
) -> WordBefore | None:
    """Find the determiner of the noun phrase that ends at `start`, going left word by word."""
    language, lowest = edits.language, 0
    if noun is not None:
        # The tree knows the noun: of its determiners the first that the tables have, or none.
        before = [child for child in edits.tree.children(noun, "det") if child < noun]
        known_to_us = [at for at in before if language.articles.split(edits.tree.form(at))]
        span = edits.words[known_to_us[0]] if known_to_us else None
        if span is None:
            return None
        lowest = span[0]
    # A tree without the noun is trusted as far as the word behind the determiner; without any tree
    # a phrase may have as many words as most phrases have.
    reach = 2 * _REACH if noun is not None else 2 if edits.tree.spans else _REACH
    words = language.pronouns
    outside = (words["openers"], words["restored"], words["prepositions"]["outside"])
    for number in range(reach):
        word = word_before(edits.text, start)
        if word is None or word.start < lowest or not edits.free(word.start, start, owner):
            return None
        known = language.articles.split(word.form)
        # The word right before `start` is the noun, even if it looks like a determiner.
        if known is not None and number and (noun is None or word.start == lowest):
            return word
        # These words are never within a noun phrase that a determiner opens.
        if noun is None and any(word.form.lower() in own for own in outside):
            return None
        start = word.start
    return None


def _place_before_noun(edits: TextEdits, owner: int, number: str) -> str | None:
    """Put article and possessive before the next word, in English order (X mom).

    Returns "possessive", or None with nothing changed where no noun follows.
    """
    start, end = edits.spans[owner]
    before = read_left(edits, start)
    following = _FOLLOWING.match(edits.text, end)
    if following is None or not edits.free(before.start, end, owner):
        return None
    starts = [None if span is None else span[0] for span in edits.words]
    noun = starts.index(following.start(1)) if following.start(1) in starts else None
    if noun is not None and edits.tree.tokens[noun].upos not in (*_NOUNS, "ADJ", "NUM", "X"):
        return None
    if noun is not None and edits.tree.tokens[noun].upos == "NUM":
        noun = max(noun, edits.tree.head(noun) or 0)  # X due libri: i suoi due libri
    last = WordBefore(following[1], following.start(1))
    key = "".join(_find_agreement(edits, last, None, noun))
    form = edits.language.pronouns["possessives"][number][key]
    _put_before(edits, owner, before, (start, end), form, key)
    return "possessive"


def _find_agreement(
    edits: TextEdits,
    last: WordBefore,
    determiner: WordBefore | None,
    noun: int | None,
) -> tuple[str, str]:
    """Find gender and number of the possessed noun, by its article or the tree."""
    gender = number = None
    if noun is not None:
        gender = GENDERS.get(feature(edits.tree.tokens[noun], "Gender") or "")
        number = NUMBERS.get(feature(edits.tree.tokens[noun], "Number") or "")
    known = edits.language.articles.split(determiner.form) if determiner is not None else None
    if known is not None:
        readings = known.readings
        if len({reading.gender for reading in readings}) == 1:
            gender = readings[0].gender
        number = readings[0].number
    endings = edits.language.pronouns["nouns"]["endings"]
    guess = next((own for end, own in endings.items() if last.form.lower().endswith(end)), "  ")
    return gender or guess[0].strip() or "m", number or guess[1].strip() or "s"


# Clitics

_FARTHEST = 6
"""Words between verb and placeholder; beyond that the tree is not to be trusted."""
_VERBS = ("VERB", "AUX")
_TAKEN_FOR = ("VERB", "AUX", "PROPN", "NOUN", "X", "ADJ")
_RELATIONS = ("obj", "iobj", "nsubj", "obl", "nmod", "xcomp")


def find_verb(edits: TextEdits, word: int | None, relation: str = "") -> int | None:
    """Find the verb that governs a placeholder, by the tree and the words between.

    If the tree has no such verb, the word right before the placeholder is taken if it begins its
    clause: taggers mistake `Dissi` before a name for a name. A verb right before the placeholder is
    also taken if the source has an object (by its `relation`), but never a clause's opener.
    """
    if word is None:
        return None
    tree, pronouns = edits.tree, edits.language.pronouns
    head, last = tree.head(word), tree.tokens[word - 1] if word else None
    # The source has an object, and a verb stands right before its placeholder: trees that hang the
    # placeholder elsewhere are wrong. A participle may be an adjective, and does not count.
    verb_beside = (
        last is not None
        and relation in (*OBJECTS, *DATIVES)
        and tree.alone(word - 1)
        and last.upos == "VERB"
        and feature(last, "VerbForm") != "Part"
    )
    # First, the verb that the tree has for the placeholder, if near. Some taggers take cuándo,
    # which opens a clause, for a verb. A name right behind its verb may be `flat`; other relations
    # are the parser's guess.
    if (
        head is not None
        and tree.tokens[head].upos in _VERBS
        and 0 < word - head <= _FARTHEST
        and tree.form(head).lower() not in pronouns["openers"]
    ):
        flat = word - head == 1 and is_relation(tree.tokens[word], "flat")
        if flat or tree.tokens[word].deprel in _RELATIONS:
            return head
        return word - 1 if verb_beside else None
    if verb_beside:
        return word - 1
    # Last, a word tagged as something else that begins its clause as only a verb does: behind
    # nothing, or behind a conjunction, a clitic or a negation.
    beside = word and tree.alone(word - 1) and tree.form(word - 1).isalpha()
    if beside and tree.tokens[word - 1].upos in _TAKEN_FOR:
        clitics = pronouns["clitics"]
        opens = (*pronouns["openers"], *clitics["words"], clitics["negation"])
        before = tree.form(word - 2).lower() if word > 1 else ""
        if before in opens or not before.isalnum():
            return word - 1
    return None


def look_up_lemma(edits: TextEdits, verb: int) -> str | None:
    """Look up the lemma of a verb, in the language's table, then in the tree."""
    form = edits.tree.form(verb).lower()
    known = edits.language.pronouns["verbs"].get("forms", {})
    return next((one for one, own in known.items() if form in own), edits.tree.tokens[verb].lemma)


def attach_clitic(edits: TextEdits, owner: int, verb: int, form: str) -> str | None:
    """Remove the placeholder, attach the clitic `form` to the verb, and set the span.

    Returns "clitic" before a finite verb or its auxiliary, "enclitic" behind another, and None,
    with nothing changed, where the verb cannot take it: an absolute participle, a clitic that does
    not combine with this one, another mention in between.
    """
    tree, language = edits.tree, edits.language
    # The host: a participle's clitic is its auxiliary's (lo ha visto).
    host = verb
    if _find_kind(edits, verb) == "Part":
        before = [child for child in tree.children(verb) if child < verb]
        auxiliaries = [child for child in before if tree.tokens[child].deprel == "aux"]
        if not auxiliaries:
            return None
        host = auxiliaries[0]
    # The text to remove: the placeholder, the article before it, and one blank.
    span, (start, end) = edits.words[host], edits.spans[owner]
    start = read_left(edits, start).start
    start -= bool(start) and edits.text[start - 1] == " "
    if span is None or not tree.alone(host) or span[1] > start or not edits.free(start, end, owner):
        return None
    if not edits.free(*span, owner):
        return None
    kind = _find_kind(edits, host)
    if kind != "Fin" or feature(tree.tokens[host], "Mood") == "Imp":
        stem = language.before_enclitic(edits.text[slice(*span)], kind)
        if stem is None:
            return None
        edits.put(owner, start, end, "")
        edits.put(owner, *span, form, lead=stem)
        return "enclitic"
    # Before a form of avere that begins with a vowel, lo and la are l', and the participle has
    # their ending instead: l'ha vista.
    elided = language.pronouns["clitics"].get("elided", {"endings": {}})
    ending = elided["endings"].get(form)
    is_elided = tree.tokens[host].lemma == elided.get("verb") and language.elides(tree.form(host))
    if ending is None or not is_elided:
        return _put_clitic(edits, owner, span, (start, end), form)
    how = _put_clitic(edits, owner, span, (start, end), elided["form"])
    span = edits.words[verb]
    ends = span is not None and edits.text[span[1] - 1] in "oaie" and edits.free(*span, owner)
    if how and verb != host and span is not None and ends:
        own = edits.spans[owner]
        edits.replace(span[1] - 1, span[1], ending, owner)
        edits.spans[owner] = own
    return how


def _put_clitic(edits: TextEdits, owner: int, verb: Span, old: Span, form: str) -> str | None:
    """Put a clitic before its verb, combined with a clitic already there: me lo, glielo."""
    start, lead = verb[0], ""
    other = word_before(edits.text, start)
    clitics = edits.language.pronouns["clitics"]
    if other is not None and other.form.lower() in clitics["words"]:
        lead = clitics["clusters"].get(other.form.lower(), "")
        if not lead or form in clitics["first"] or not edits.free(other.start, start, owner):
            return None
        if other.form[:1].isupper():
            lead = lead[:1].upper() + lead[1:]
        start = other.start
    first = edits.text[verb[0]]
    edits.put(owner, *old, "")
    if not lead and first.isupper() and begins_sentence(edits.text, verb[0]):
        edits.replace(verb[0], verb[0] + 1, small(first), owner)
        form = form[:1].upper() + form[1:]
    edits.put(owner, start, verb[0], form, lead=lead, rest=" " * (not form.endswith("'")))
    return "clitic"


def _find_kind(edits: TextEdits, verb: int) -> str:
    """Find the verb's kind (Fin, Inf, Ger, Part), by its ending if the tree calls it no verb."""
    token = edits.tree.tokens[verb]
    if token.upos in _VERBS and (kind := feature(token, "VerbForm")):
        return kind
    form = edits.tree.form(verb).lower()
    endings = edits.language.pronouns["verbs"]["endings"]
    return next((kind for kind, ends in endings.items() if form.endswith(tuple(ends))), "Fin")
