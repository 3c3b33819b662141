"""Scenes in soft colors for sample sites: drawn here, so that no picture of anybody else is needed."""

from tests.support.sample_art import art


def landscape(sky: str, horizon: str, sun: str, *hills: str, width: int = 1200, height: int = 800) -> str:
    """A sky that fades to the horizon, a sun with a halo, and hills from far to near."""
    step = height * 0.5 / max(len(hills), 1)
    layers = "".join(
        f'<path d="M0 {height * 0.52 + n * step:.0f}Q{width * (0.2 + 0.13 * n):.0f} {height * (0.36 + 0.1 * n):.0f} '
        f"{width * 0.55:.0f} {height * 0.56 + n * step:.0f}T{width} {height * 0.5 + n * step:.0f}V{height}H0z"
        f'" fill="{color}"/>'
        for n, color in enumerate(hills)
    )
    x, y, r = width * 0.7, height * 0.34, height * 0.1
    return art(
        width,
        height,
        f'<defs><linearGradient id="s" x2="0" y2="1"><stop stop-color="{sky}"/>'
        f'<stop offset=".7" stop-color="{horizon}"/>'
        f'</linearGradient><radialGradient id="h"><stop stop-color="{sun}" stop-opacity=".8"/>'
        f'<stop offset="1" stop-color="{sun}" stop-opacity="0"/></radialGradient></defs>'
        f'<rect width="{width}" height="{height}" fill="url(#s)"/>'
        f'<circle cx="{x:.0f}" cy="{y:.0f}" r="{r * 3:.0f}" fill="url(#h)"/>'
        f'<circle cx="{x:.0f}" cy="{y:.0f}" r="{r:.0f}" fill="{sun}"/>{layers}',
    )


def room(wall: str, floor: str, window: str, furniture: str, *, width: int = 1200, height: int = 900) -> str:
    """A wall with a window, a plant, and a bench or bed in the light."""
    return art(
        width,
        height,
        f'<defs><linearGradient id="w" x2="1" y2="1"><stop stop-color="{wall}"/>'
        f'<stop offset="1" stop-color="{floor}"/>'
        f'</linearGradient></defs><rect width="{width}" height="{height}" fill="url(#w)"/>'
        f'<rect y="660" width="{width}" height="240" fill="{floor}"/>'
        f'<rect x="640" y="110" width="380" height="400" rx="190" fill="{window}"/>'
        '<path d="M830 110v400M640 310h380" stroke="#fff" stroke-opacity=".7" stroke-width="12"/>'
        '<path d="M700 660L980 660 1160 900 560 900z" fill="#fff" opacity=".25"/>'
        f'<rect x="150" y="520" width="520" height="160" rx="34" fill="{furniture}"/>'
        f'<rect x="150" y="400" width="520" height="190" rx="44" fill="{furniture}" opacity=".75"/>'
        '<path d="M190 680v70M630 680v70" stroke="#3b2f26" stroke-width="16"/>'
        '<path d="M1065 640c-70-60-80-160-30-230 50 60 60 150 30 230zm0 0c60-40 110-110 100-190-60 20-110 110-100 190z"'
        ' fill="#4d7a5a"/><path d="M1010 630h120l-20 110h-80z" fill="#c98a5f"/>',
    )


def tools(paper: str, ink: str, accent: str, *, width: int = 1200, height: int = 900) -> str:
    """A workbench from above: a plane, a rule, shavings."""
    boards = "".join(
        f'<path d="M0 {y}h{width}" stroke="#000" stroke-opacity=".12" stroke-width="5"/>' for y in range(150, 900, 150)
    )
    return art(
        width,
        height,
        f'<defs><linearGradient id="b" x2="1" y2=".4"><stop stop-color="{paper}"/>'
        f'<stop offset="1" stop-color="{accent}"/>'
        f'</linearGradient></defs><rect width="{width}" height="{height}" fill="url(#b)"/>{boards}'
        f'<g transform="rotate(-12 600 450)"><rect x="260" y="360" width="620" height="150" rx="28" fill="{ink}"/>'
        '<rect x="290" y="380" width="560" height="40" rx="14" fill="#fff" opacity=".2"/>'
        '<path d="M360 360c10-110 120-120 140 0zM690 360c0-70 90-80 110 0z" fill="#8a4b22"/>'
        '<rect x="170" y="590" width="820" height="58" fill="#f4d35e"/>'
        + "".join(
            f'<path d="M{190 + n * 40} 590v{36 if n % 5 == 0 else 20}" stroke="#333" stroke-width="4"/>'
            for n in range(20)
        )
        + '</g><path d="M880 180c60-60 160-10 130 60s-130 50-110-10 90-40 70 10'
        'M180 720c50-50 130-10 100 50s-100 30-80-10" '
        'fill="none" stroke="#fff3d6" stroke-width="16" stroke-linecap="round"/>',
    )


def crowd(sky: str, ground: str, *kits: str, width: int = 1200, height: int = 800) -> str:
    """People side by side in club colors, under strings of lights."""
    people = "".join(
        f'<g transform="translate({130 + n * 158} {430 + (n % 3) * 26})"><circle r="52" fill="{skin}"/>'
        f'<path d="M-84 260c0-130 40-186 84-186s84 56 84 186z" fill="{kits[n % len(kits)]}"/></g>'
        for n, skin in enumerate(("#8d5a3c", "#f1c9a5", "#c98f65", "#f6d7b8", "#6b432c", "#e0ac82", "#f1c9a5"))
    )
    lights = "".join(
        f'<circle cx="{60 + n * 90}" cy="{150 + abs(6 - n) * -14 + 60}" r="14" fill="#fff4c2"/>' for n in range(13)
    )
    return art(
        width,
        height,
        f'<defs><linearGradient id="c" x2="0" y2="1"><stop stop-color="{sky}"/>'
        f'<stop offset="1" stop-color="{ground}"/>'
        f'</linearGradient></defs><rect width="{width}" height="{height}" fill="url(#c)"/>'
        f'<path d="M0 130Q600 320 1200 130" fill="none" stroke="#fff" stroke-opacity=".5" stroke-width="4"/>'
        f"{lights}{people}"
        f'<rect y="690" width="{width}" height="110" fill="{ground}"/>',
    )
