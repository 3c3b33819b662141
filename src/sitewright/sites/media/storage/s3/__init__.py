"""The media store in an S3-compatible service (decision 0080)."""
