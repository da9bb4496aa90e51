"""The parts of the page that `airfair report` writes."""
