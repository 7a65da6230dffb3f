"""One module a command of `tumbler`; each has `register(app)` and imports its machinery only when called."""
