"""What the author of a bot reads from afar, read in another process.

    author_archive ─▶ author_reader ─▶ paged narration

The loop that referees matches is hardly slowed by this work.
"""
