"""The state of automatic certificates as pages, the API and operators see it."""
