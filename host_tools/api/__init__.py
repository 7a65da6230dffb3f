"""The HTTP and WebSocket API: thin routes over the service's doors."""
