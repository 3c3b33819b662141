"""Lists of jobs."""
