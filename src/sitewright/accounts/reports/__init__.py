"""User reports: asked for, made by the worker, kept for an hour."""
