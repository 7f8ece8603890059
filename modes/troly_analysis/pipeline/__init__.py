"""Mongo-style aggregation pipelines: read, checked against an allow-list, compiled to DuckDB SQL."""
