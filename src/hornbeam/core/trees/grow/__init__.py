"""The kernel that grows trees."""
