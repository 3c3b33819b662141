"""Sessions of operators who are logged in to the console."""
