"""Support vector machines: the widest margin between classes, or the flattest function within an error."""
