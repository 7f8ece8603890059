"""Reading people's tables: CSV, spreadsheets, Parquet and JSON, every line accounted for, every column typed."""
