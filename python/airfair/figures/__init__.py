"""Drawing: one theme, charts of tables, timelines of runs."""
