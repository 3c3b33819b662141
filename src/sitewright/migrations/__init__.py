"""The schema: baselines, numbered migrations and functions by top-level package. `kit.migrations` applies them."""

PACKAGES = (
    "kit", "tenants", "events", "catalogue", "accounts", "sites", "domains", "webhooks", "provisioning", "edge",
    "statistics",
)  # fmt: skip
"""In this order: tables refer only to tables of their own package and of those before it."""
