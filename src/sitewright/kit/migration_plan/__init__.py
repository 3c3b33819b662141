"""What pending migrations would lock and for how long, found by rehearsing them on a copy of the schema."""

from sitewright.kit.migration_plan.service import Plan, make_plan

__all__ = ["Plan", "make_plan"]
