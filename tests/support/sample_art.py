"""Simple generated pictures for sample sites, so that samples need no other files."""

from urllib.parse import quote


def art(width: int, height: int, body: str) -> str:
    """A picture as a data URL."""
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">{body}</svg>'
    return "data:image/svg+xml," + quote(svg, safe=" =:/;,()'")


def still_life(ground: str, table: str, *shapes: str) -> str:
    """A still life of objects on a table at a window."""
    light = (
        '<defs><radialGradient id="l" cx=".25" cy=".1" r="1"><stop offset="0" stop-color="#fff" stop-opacity=".5"/>'
        '<stop offset="1" stop-color="#000" stop-opacity=".1"/></radialGradient></defs>'
    )
    scene = f'<rect width="640" height="480" fill="{ground}"/><rect y="330" width="640" height="150" fill="{table}"/>'
    return art(640, 480, light + scene + "".join(shapes) + '<rect width="640" height="480" fill="url(#l)"/>')


def cup(x: int, y: int, colour: str, drink: str) -> str:
    return (
        f'<ellipse cx="{x}" cy="{y + 92}" rx="120" ry="20" fill="#000" opacity=".18"/>'
        f'<ellipse cx="{x}" cy="{y + 84}" rx="108" ry="18" fill="#fff7ec"/>'
        f'<path d="M{x - 70} {y - 20}h140v30a70 68 0 0 1-140 0z" fill="{colour}"/>'
        f'<path d="M{x + 68} {y - 8}h14a22 22 0 0 1 0 46h-26" fill="none" stroke="{colour}" stroke-width="13"/>'
        f'<ellipse cx="{x}" cy="{y - 20}" rx="70" ry="18" fill="{colour}"/>'
        f'<ellipse cx="{x}" cy="{y - 18}" rx="61" ry="13" fill="{drink}"/>'
        f'<path d="M{x - 22} {y - 18}q22-14 44 0q-22 13-44 0z" fill="#f6e3c5"/>'
    )


def cake(x: int, y: int, crumb: str, icing: str) -> str:
    return (
        f'<ellipse cx="{x}" cy="{y + 62}" rx="130" ry="22" fill="#000" opacity=".16"/>'
        f'<ellipse cx="{x}" cy="{y + 54}" rx="122" ry="20" fill="#fffaf2"/>'
        f'<path d="M{x - 82} {y + 46}v-52l164-34v86z" fill="{crumb}"/>'
        f'<path d="M{x - 82} {y - 6}l164-34v22l-164 34z" fill="{icing}"/>'
        f'<path d="M{x - 82} {y - 6}q60-60 164-34z" fill="{icing}" opacity=".82"/>'
        f'<path d="M{x - 82} {y + 24}l164-14v10l-164 14z" fill="#fff3df"/>'
        f'<circle cx="{x + 26}" cy="{y - 50}" r="13" fill="#b3202c"/>'
    )


def loaf(x: int, y: int, crust: str) -> str:
    cuts = "".join(
        f'<path d="M{x - 70 + 46 * n} {y + 20}q14-34 34-44" stroke="#fbe7c4" stroke-width="9" fill="none"/>'
        for n in range(4)
    )
    return (
        f'<ellipse cx="{x}" cy="{y + 62}" rx="150" ry="20" fill="#000" opacity=".18"/>'
        f'<rect x="{x - 150}" y="{y + 44}" width="300" height="16" rx="6" fill="#7d5a3c"/>'
        f'<path d="M{x - 128} {y + 46}q-22-92 128-92t128 92z" fill="{crust}"/>{cuts}'
    )


def jar(x: int, y: int, glass: str, lid: str) -> str:
    return (
        f'<ellipse cx="{x}" cy="{y + 122}" rx="74" ry="14" fill="#000" opacity=".14"/>'
        f'<rect x="{x - 62}" y="{y - 70}" width="124" height="192" rx="26" fill="{glass}"/>'
        f'<rect x="{x - 54}" y="{y - 98}" width="108" height="34" rx="8" fill="{lid}"/>'
        f'<rect x="{x - 46}" y="{y - 8}" width="92" height="74" rx="8" fill="#fffdf6"/>'
        f'<path d="M{x - 28} {y + 18}h56M{x - 28} {y + 36}h38" stroke="{lid}" stroke-width="7"/>'
    )


def plant(x: int, y: int, leaf: str, pot: str) -> str:
    leaves = "".join(
        f'<path d="M{x} {y}q{dx} {dy} {dx * 2} {dy - 50}q{-dx // 3} {90 - dy // 3} {-dx * 2} {50 - dy}z"/>'
        for dx, dy in ((-44, -60), (44, -66), (-20, -100), (24, -104), (2, -130))
    )
    shadow = f'<ellipse cx="{x}" cy="{y + 112}" rx="84" ry="15" fill="#000" opacity=".14"/>'
    return shadow + f'<g fill="{leaf}">{leaves}</g>' + f'<path d="M{x - 62} {y}h124l-18 110h-88z" fill="{pot}"/>'


def candle(x: int, y: int, wax: str) -> str:
    return (
        f'<ellipse cx="{x}" cy="{y + 112}" rx="70" ry="14" fill="#000" opacity=".14"/>'
        f'<rect x="{x - 46}" y="{y - 10}" width="92" height="122" rx="12" fill="{wax}"/>'
        f'<rect x="{x - 4}" y="{y - 34}" width="8" height="26" fill="#444"/>'
        f'<path d="M{x} {y - 96}q34 40 0 64q-34-24 0-64z" fill="#ffb627"/>'
        f'<path d="M{x} {y - 70}q15 20 0 34q-15-14 0-34z" fill="#fff2c2"/>'
    )


def notebook(x: int, y: int, cover: str) -> str:
    return (
        f'<ellipse cx="{x}" cy="{y + 112}" rx="110" ry="14" fill="#000" opacity=".14"/>'
        f'<g transform="rotate(-8 {x} {y})">'
        f'<rect x="{x - 84}" y="{y - 96}" width="168" height="204" rx="10" fill="{cover}"/>'
        f'<rect x="{x - 84}" y="{y - 96}" width="26" height="204" rx="8" fill="#000" opacity=".2"/>'
        f'<rect x="{x - 34}" y="{y - 62}" width="88" height="48" rx="5" fill="#fffdf6"/></g>'
    )


def poster(paper: str, *shapes: str, width: int = 600, height: int = 750) -> str:
    return art(width, height, f'<rect width="{width}" height="{height}" fill="{paper}"/>' + "".join(shapes))


DESK = art(
    720,
    560,
    '<rect width="720" height="560" fill="#dbe7f1"/><rect x="70" y="50" width="220" height="260" fill="#f7fbff"/>'
    '<path d="M180 50v260M70 180h220" stroke="#b9cbdb" stroke-width="8"/><rect y="420" width="720" height="140" '
    'fill="#c79a6b"/><path d="M0 420h720v14H0z" fill="#a97f54"/><rect x="330" y="210" width="300" height="196" rx="12" '
    'fill="#20364d"/><rect x="346" y="226" width="268" height="164" rx="4" fill="#fdfefe"/>'
    '<path d="M372 366v-44h34v44zm52 0v-72h34v72zm52 0v-98h34v98zm52 0v-122h34v122z" fill="#0b62a8"/>'
    '<path d="M372 300l72-34 52-8 92-44" fill="none" stroke="#f0a53a" stroke-width="7"/>'
    '<path d="M300 406h360l24 26H276z" fill="#3d556d"/><path d="M120 420v-70h64v70z" fill="#e06a4f"/>'
    '<path d="M152 352q-60-30-58-96 62 16 58 96zm0 0q52-38 50-106-58 24-50 106zm0 0q-8-70 12-116 24 60-12 116z" '
    'fill="#3f8f6b"/><rect x="214" y="470" width="170" height="18" rx="6" fill="#fff" opacity=".85"/>'
    '<rect x="232" y="452" width="140" height="18" rx="6" fill="#0d2a45"/>',
)


SKYLINE = art(
    800,
    600,
    '<defs><linearGradient id="s" x2="0" y2="1"><stop stop-color="#bcd9f2"/><stop offset="1" stop-color="#f4e9dc"/>'
    '</linearGradient></defs><rect width="800" height="600" fill="url(#s)"/>'
    '<path d="M0 600V390h70V300h80v120h60V210h95v230h50V330h85v-90h60v200h70V280h90v90h60v-50h80v280z" fill="#7f9fbd"/>'
    '<path d="M0 600V470h110v-90h75v110h95V350h70v150h110V400h95v120h65v-60h90v50h90v90z" fill="#39597a"/>'
    '<path d="M0 600v-46q200-40 400 0t400-8v54z" fill="#1d3753"/>'
    '<circle cx="620" cy="130" r="52" fill="#fff6df"/>',
)
