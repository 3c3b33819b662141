"""A small tree of SVG elements, built by expat within limits that are checked while parsing."""

from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from sitewright.sites.media.pictures.limits import PictureTooLarge, PictureUnreadable

NAMESPACE = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"
MAX_DEPTH = 64
MAX_ELEMENTS = 50_000
MAX_ATTRIBUTES = 100
MAX_BYTES = 4 * 1024 * 1024


class Element:
    __slots__ = ("attributes", "children", "name")

    def __init__(self, name: str, attributes: dict[str, str]) -> None:
        self.name = name
        self.attributes = attributes
        self.children: list[Element | str] = []

    def elements(self) -> "list[Element]":
        return [child for child in self.children if isinstance(child, Element)]


class _Builder:
    """Receives expat's events. Elements of other namespaces are removed, with all that is in them."""

    def __init__(self) -> None:
        self.root: Element | None = None
        self._open: list[Element | None] = []
        self._count = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self._count += 1
        if len(self._open) >= MAX_DEPTH or self._count > MAX_ELEMENTS or len(attributes) > MAX_ATTRIBUTES:
            raise PictureTooLarge(f"The SVG is nested too deeply, or has more than {MAX_ELEMENTS} elements.")
        namespace, _, name = tag.rpartition(" ")
        parent = self._open[-1] if self._open else None
        element = None
        if namespace == NAMESPACE and (parent is not None or not self._open):
            element = Element(name, _plain_attributes(attributes))
            if parent is not None:
                parent.children.append(element)
            else:
                self.root = element
        self._open.append(element)

    def end(self, _tag: str) -> None:
        self._open.pop()

    def text(self, text: str) -> None:
        if self._open and (element := self._open[-1]) is not None:
            element.children.append(text)


def parse(data: bytes) -> Element:
    """Nothing is loaded or expanded: entities cannot be declared, and external ones are never read."""
    if len(data) > MAX_BYTES:
        raise PictureTooLarge("An SVG may have at most 4 MiB.")
    builder = _Builder()
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.text
    parser.StartDoctypeDeclHandler = _refuse_declarations
    parser.EntityDeclHandler = _refuse_entities
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise PictureUnreadable(f"The SVG is not well-formed XML: {error}.") from None
    if builder.root is None or builder.root.name != "svg":
        raise PictureUnreadable("The XML is not an SVG: its root must be svg, in the namespace of SVG.")
    return builder.root


def serialize(root: Element) -> bytes:
    parts: list[str] = []
    _write(root, parts, f' xmlns="{NAMESPACE}"')
    return "".join(parts).encode()


def _write(element: Element, parts: list[str], namespace: str = "") -> None:
    attributes = "".join(f" {name}={quoteattr(value)}" for name, value in element.attributes.items())
    if not element.children:
        parts.append(f"<{element.name}{namespace}{attributes}/>")
        return
    parts.append(f"<{element.name}{namespace}{attributes}>")
    for child in element.children:
        if isinstance(child, Element):
            _write(child, parts)
        else:
            parts.append(escape(child))
    parts.append(f"</{element.name}>")


def _plain_attributes(attributes: dict[str, str]) -> dict[str, str]:
    """Without namespaces; `xlink:href` becomes `href`, which browsers read as well."""
    plain = {name: value for name, value in attributes.items() if " " not in name}
    linked = attributes.get(f"{XLINK} href")
    return plain if linked is None else {"href": linked, **plain}


def _refuse_declarations(_name: str, _system: str | None, _public: str | None, has_internal_subset: bool) -> None:
    """The usual document type of old programs is harmless, and is dropped; declarations of their own are not."""
    if has_internal_subset:
        raise PictureUnreadable("The SVG declares entities or types of its own. Save it without a document type.")


def _refuse_entities(*_declaration: object) -> None:
    raise PictureUnreadable("The SVG declares entities. Save it without a document type.")
