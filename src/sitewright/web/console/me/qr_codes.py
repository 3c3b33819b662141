"""QR codes as SVG, which is part of the page."""

import segno
from markupsafe import Markup


def qr_code(text: str) -> Markup:
    """Dark on light in every color scheme, with the margin that scanners need."""
    drawn = segno.make(text, error="m", micro=False).svg_inline(
        scale=5, border=4, dark="#000", light="#fff", svgclass=None, lineclass=None, omitsize=True
    )
    return Markup(drawn)  # noqa: S704 - paths and numbers only, made from the modules of the code
