"""The reference for variants of pictures: the same calls of Pillow in a bare script, without limits or processes."""

import io
import json
import sys
import time
from pathlib import Path

from PIL import Image

WIDTHS = (2560, 1920, 1440, 960, 640, 320)


def variants(data: bytes) -> int:
    image: Image.Image = Image.open(io.BytesIO(data))
    own = min(image.width, WIDTHS[0])
    widths = [own, *(width for width in WIDTHS if width < own)]
    image.draft(None, (own, round(image.height * own / image.width)))
    image = image.convert("RGB")
    count = 0
    for width in widths:
        size = (width, round(image.height * width / image.width))
        if image.size != size:
            image = image.resize(size, Image.Resampling.LANCZOS, reducing_gap=3.0)
        image.info.clear()
        image.save(io.BytesIO(), "WEBP", quality=80, method=4)
        image.save(io.BytesIO(), "JPEG", quality=82, progressive=True, optimize=True)
        count += 2
    return count


def main() -> None:
    """Prints the seconds and the number of variants; importing and loading the codecs is not counted."""
    for name in ("WEBP", "JPEG"):
        Image.new("RGB", (16, 16)).save(io.BytesIO(), name)
    pictures = [Path(path).read_bytes() for path in sys.argv[1:]]
    begun = time.perf_counter()
    count = sum(variants(data) for data in pictures)
    print(json.dumps({"seconds": time.perf_counter() - begun, "variants": count}))


if __name__ == "__main__":
    main()
