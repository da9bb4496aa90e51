"""Drawing: charts of tables, timelines of runs."""
