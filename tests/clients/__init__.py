"""The clients of the API and the modules of billing panels."""
