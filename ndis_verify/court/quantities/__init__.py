"""The quantities of the language of statements, on float64 columns and in ball arithmetic, each subject in a room."""
