"""What brands sell and show: packages, templates, and the file that describes both."""
