"""What learning produces: plain data that predicts, prints and is kept, and knows nothing of learning."""
