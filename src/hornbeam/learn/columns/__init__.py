"""Work on columns before learning: intervals, and selection."""
