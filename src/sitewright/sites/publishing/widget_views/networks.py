"""Social networks by their hosts, with the names of their icons."""

import msgspec


class Network(msgspec.Struct, frozen=True):
    name: str
    icon: str


OTHER = Network("", "globe")
_NETWORKS = {
    "facebook.com": Network("Facebook", "facebook"),
    "fb.com": Network("Facebook", "facebook"),
    "instagram.com": Network("Instagram", "instagram"),
    "youtube.com": Network("YouTube", "youtube"),
    "youtu.be": Network("YouTube", "youtube"),
    "linkedin.com": Network("LinkedIn", "linkedin"),
    "x.com": Network("X", "x"),
    "twitter.com": Network("X", "x"),
    "tiktok.com": Network("TikTok", "tiktok"),
    "pinterest.com": Network("Pinterest", "pinterest"),
    "wa.me": Network("WhatsApp", "whatsapp"),
    "whatsapp.com": Network("WhatsApp", "whatsapp"),
    "t.me": Network("Telegram", "telegram"),
    "telegram.me": Network("Telegram", "telegram"),
    "vimeo.com": Network("Vimeo", "video"),
    "github.com": Network("GitHub", "code"),
    "mastodon.social": Network("Mastodon", "mastodon"),
    "bsky.app": Network("Bluesky", "bluesky"),
    "threads.net": Network("Threads", "globe"),
}


def network_of(host: str) -> Network:
    """The network of a host, or of a host above it: `de.pinterest.com` is Pinterest."""
    labels = host.lower().split(".")
    for start in range(len(labels) - 1):
        found = _NETWORKS.get(".".join(labels[start:]))
        if found is not None:
            return found
    return OTHER
