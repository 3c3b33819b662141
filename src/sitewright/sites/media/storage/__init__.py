"""Where the bytes of media are stored; `service.py` is the interface (decision 0078)."""
