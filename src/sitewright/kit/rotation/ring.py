"""The list of master keys (key ring), as an operator changes it."""

from pathlib import Path

from sitewright.kit.key_file import MasterKeyError, new_key
from sitewright.kit.sealing import key_file, load_sealer, name_of

CONFIGURED = (
    "The keys stand in the setting master_key, where only you can change them. Write the new key behind the one in use,"
    " with a space between, and restart every part; then write it before the old one, and restart every part again;"
    " then run: sitewright keys rotate"
)
LOST = (
    "Bring the key back (a further line of the key file). If it is lost, run sitewright keys renew, which lists what to"
    " do (see docs/operate.md, The master key)."
)


class Ring:
    def __init__(self, configured: str, data_path: Path) -> None:
        self._file = None if configured.strip() else key_file(data_path)
        self.sealer = load_sealer(configured, data_path)

    @property
    def place(self) -> str:
        return "the setting master_key" if self._file is None else str(self._file.path)

    @property
    def is_configured(self) -> bool:
        return self._file is None

    def add(self, *, first: bool) -> bytes:
        """Add a new key and return its name; `first`: it encrypts from now on."""
        key = new_key()
        self._write([key, *self._keys()] if first else [*self._keys(), key])
        return name_of(key)

    def put_first(self, name: bytes) -> None:
        keys = {name_of(key): key for key in self._keys()}
        if name not in keys:
            raise MasterKeyError(f"There is no key {name.hex()}. See: sitewright keys list")
        chosen = keys.pop(name)
        self._write([chosen, *keys.values()])

    def remove(self, name: bytes) -> None:
        if name == self.sealer.key_name:
            raise MasterKeyError("This key is the one that encrypts. Rotate first: sitewright keys rotate")
        if name not in self.sealer.key_names:
            raise MasterKeyError(f"There is no key {name.hex()}. See: sitewright keys list")
        self._write([key for key in self._keys() if name_of(key) != name])

    def _keys(self) -> list[bytes]:
        if self._file is None:
            raise MasterKeyError(CONFIGURED)
        return self._file.read()

    def _write(self, keys: list[bytes]) -> None:
        if self._file is None:
            raise MasterKeyError(CONFIGURED)
        self._file.write(keys)
        self.sealer.reload_if_changed()
