"""The frame of the console: who is logged in, the brand, the navigation, and the start page."""
