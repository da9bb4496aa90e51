"""`airfair optimize`: the values of a scenario's parameters at which a metric is best, and how flat the optimum is.

`problem` reads the question, `ranges` the values to choose from; `search` chooses candidates, `evaluator` runs them,
`judgement` compares them. `result` is the Python API, `command` the terminal's output, `chart` the figure.
"""
