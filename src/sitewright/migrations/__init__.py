"""The schema: numbered SQL files, which `kit.migrations` applies."""
