"""The kernel that grows forests."""
