"""Example requests of every operation, in four languages, generated from the OpenAPI document."""
