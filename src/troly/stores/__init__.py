"""What Troly keeps: conversations in one SQLite file, published tables in DuckDB files beside it."""
