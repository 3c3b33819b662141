from pathlib import Path

from sitewright.kit.http.messages import MessageCatalog

CATALOG = MessageCatalog(Path(__file__).parent / "texts")
