"""`airfair optimize`: the values of a scenario's parameters at which a metric is best, and how flat the optimum is.

`problem` reads what is asked, `ranges` the values to choose from, `search` decides what to evaluate next, `evaluator`
runs it, `judgement` compares; `result` is what Python gets, `command` what the terminal shows, `chart` the figure.
"""
