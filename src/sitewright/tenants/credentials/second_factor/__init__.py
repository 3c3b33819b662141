"""One-time codes and recovery codes of operators."""
