"""The answer in words, tables, charts and computations, made from the result alone; figures of a model are checked."""
