"""Names of browsers and systems for the list of sessions, from what browsers send about themselves."""

BROWSERS = (
    ("Edg/", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("CrOS", "ChromeOS"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)
"""In this order: most browsers also name those that they are compatible with."""


def device_name(user_agent: str) -> str | None:
    """Like `Firefox, Linux`; None where neither is known."""
    parts = [next((name for sign, name in known if sign in user_agent), None) for known in (BROWSERS, SYSTEMS)]
    return ", ".join(part for part in parts if part) or None
