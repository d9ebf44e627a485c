"""Writers of result files as boards take them: one file a format, one function of its name."""
