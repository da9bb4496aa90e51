"""The parts of the page on a sweep that `airfair report` writes."""
