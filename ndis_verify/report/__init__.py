"""What people look at: verdicts on a terminal, in Markdown and as JSON; errata; places in the sources."""
