"""Lists of audit entries."""
