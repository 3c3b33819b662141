"""Ready-made sets of first pages, defined in `page_sets.yaml`."""
