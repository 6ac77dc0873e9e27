"""Reference tables: schema, rows, certified values, the line protocol, and conformance to them."""
