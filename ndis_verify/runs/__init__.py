"""Long work: the journal of a run that may be stopped, its processes, its progress, files that are written whole."""
