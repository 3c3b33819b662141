"""Log-in of operators: password, one-time code, and accepting an invitation."""
