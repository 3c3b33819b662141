"""The service's own limits, which apply before those of certificate authorities."""
