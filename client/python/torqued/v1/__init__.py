"""Messages and stubs that protoc makes of proto/torqued/v1."""
