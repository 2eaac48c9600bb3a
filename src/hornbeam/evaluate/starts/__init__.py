"""Clustering from many starts.

- restarts: `restarts`
- restart_study: the result as plain data
- restart_views: the result as text and as a picture
"""
