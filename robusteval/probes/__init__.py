"""Probes: measurements that look inside a model.

A probe is called as ``probe(model, images, labels, *, generators, batch_size, progress, ...)`` and
returns a data frame with a row a reading. Its column ``row`` says which of the images a reading
belongs to, counted from 0, or is -1 for one that belongs to the model; the other columns are the
probe's own. What it says about an image does not depend on the images beside it.
"""
