"""Log in as one of the brand's account holders."""
