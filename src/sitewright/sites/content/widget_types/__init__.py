"""The known widget types, defined in `types.yaml`."""
