"""What `tune` needs, and what it finds: settings to try, results as text and as a picture."""
