"""From the bytes of an upload to the bytes of its variants; `service.py` is the interface (decisions 0075 to 0077)."""
