"""The widget types that the service knows, as data: `types.yaml`."""
