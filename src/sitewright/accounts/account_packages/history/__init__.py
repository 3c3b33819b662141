"""The packages that an account holder has and had, and the charges for them."""
