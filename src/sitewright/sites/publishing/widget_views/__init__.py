"""Builders of widgets' view models, one module for each family of widget types."""
