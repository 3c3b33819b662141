"""Bounds what a browser draws: a few elements that refer to each other may expand to billions."""

from sitewright.sites.media.pictures.limits import PictureTooLarge, PictureUnreadable
from sitewright.sites.media.pictures.svg.styles import LOCAL_URL
from sitewright.sites.media.pictures.svg.tree import MAX_DEPTH, Element

MAX_DRAWN = 200_000
MAX_REFERENCE_DEPTH = 4 * MAX_DEPTH
_IN_PROGRESS = -1


class _Expansion:
    def __init__(self, root: Element) -> None:
        self._by_id: dict[str, Element] = {}
        self._weights: dict[int, int] = {}
        self._index(root)

    def _index(self, element: Element) -> None:
        self._by_id.setdefault(element.attributes.get("id", ""), element)
        for child in element.elements():
            self._index(child)

    def element(self, name: str) -> Element | None:
        return self._by_id.get(name)

    def weight(self, element: Element, depth: int = 0) -> int:
        """How many elements are drawn for this one, references included."""
        known = self._weights.get(id(element))
        if known == _IN_PROGRESS:
            raise PictureUnreadable("An element of the SVG refers to itself.")
        if known is not None:
            return known
        if depth > MAX_REFERENCE_DEPTH:
            raise PictureTooLarge("The references of the SVG are nested too deeply.")
        self._weights[id(element)] = _IN_PROGRESS
        total = 1 + sum(self.weight(each, depth + 1) for each in (*element.elements(), *self._targets(element)))
        if total > MAX_DRAWN:
            raise PictureTooLarge("The references of the SVG draw too many elements.")
        self._weights[id(element)] = total
        return total

    def _targets(self, element: Element) -> list[Element]:
        names = [name for value in element.attributes.values() for _, name in LOCAL_URL.findall(value)]
        href = element.attributes.get("href", "")
        names += [href[1:]] if href.startswith("#") else []
        return [self._by_id[name] for name in names if name in self._by_id]


def check_expansion(root: Element) -> None:
    """Raises `PictureTooLarge` or `PictureUnreadable`.

    Which elements a style sheet applies to is not determined here: each element that it refers to may be drawn for
    every element of every other, so their numbers are multiplied. Gradients draw nothing.
    """
    expansion = _Expansion(root)
    drawn = expansion.weight(root)
    for name in _stylesheet_targets(root):
        target = expansion.element(name)
        if target is not None and target.name not in {"linearGradient", "radialGradient"}:
            drawn *= max(1, expansion.weight(target) - 1)
        if drawn > MAX_DRAWN:
            raise PictureTooLarge("The style sheet of the SVG refers to too many elements.")


def _stylesheet_targets(root: Element) -> set[str]:
    """The ids that style sheets refer to."""
    names: set[str] = set()
    pending = [root]
    while pending:
        element = pending.pop()
        pending += element.elements()
        if element.name == "style":
            text = "".join(child for child in element.children if isinstance(child, str))
            names |= {name for _, name in LOCAL_URL.findall(text)}
    return names
