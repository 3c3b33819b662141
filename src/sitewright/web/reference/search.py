"""Search of the reference: guides, operations and problem codes, by the beginnings of words."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import takewhile

import msgspec

MAX_QUERY = 100
MAX_RESULTS = 40
IN_TITLE, IN_SUMMARY, IN_TEXT = 8, 4, 1
WHOLE_WORD = 2
"""A whole word counts this many times as much as the beginning of one."""
_WORD = re.compile(r"[a-z0-9]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """Something to find. `text` is searched, but not shown."""

    kind: str
    title: str
    summary: str
    href: str
    text: str = ""


class SearchIndex:
    """An inverted index: each word with the entries that have it and the weight of the best place in each."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._entries = entries
        self._places: dict[str, dict[int, int]] = {}
        for number, each in enumerate(entries):
            for part, weight in ((each.title, IN_TITLE), (each.summary, IN_SUMMARY), (each.text, IN_TEXT)):
                for word in _words(part):
                    self._places.setdefault(word, {}).setdefault(number, weight)
        self._words = sorted(self._places)

    def find(self, query: str) -> list[Entry]:
        """Entries that have every word of the query, or a word that begins with it, the best first."""
        wanted = list(dict.fromkeys(_WORD.findall(query[:MAX_QUERY].lower())))
        scores = [self._scores(word) for word in wanted]
        if not scores:
            return []
        matching = set(scores[0]).intersection(*scores[1:])
        total = Counter({number: sum(each[number] for each in scores) for number in sorted(matching)})
        return [self._entries[number] for number, _ in total.most_common(MAX_RESULTS)]

    def _scores(self, wanted: str) -> dict[int, int]:
        """The best weight of a word that begins with `wanted`, by entry."""
        best: dict[int, int] = {}
        begin = bisect_left(self._words, wanted)
        for word in takewhile(lambda each: each.startswith(wanted), self._words[begin:]):
            for number, weight in self._places[word].items():
                score = weight * WHOLE_WORD if word == wanted else weight
                best[number] = max(score, best.get(number, 0))
        return best


def _words(text: str) -> Iterator[str]:
    """Names in camel case count as a whole and by their parts: `accountPackage`, `account`, `package`."""
    yield from _WORD.findall(text.lower())
    yield from _WORD.findall(_HUMP.sub(" ", text).lower())
