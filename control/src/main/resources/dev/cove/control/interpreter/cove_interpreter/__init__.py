"""The code interpreter: runs cells of code in contexts that remember, and answers on port 49999."""
