import msgspec


class Language(msgspec.Struct, frozen=True):
    ref: int
    code: str
    name: str


class Languages(msgspec.Struct, frozen=True):
    languages: list[Language]
