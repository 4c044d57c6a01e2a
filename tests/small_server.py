"""neural-gpu-serve with little patience and few places, for tests."""

SECONDS = 2.0  # that it gives a request
PLACES = 4  # requests that it has read and not answered, at most
CONNECTIONS = 20
BYTES = 20_000  # of a request, at most
INSTANCES = 8
FLAGS = [
    "--threads=2",
    f"--max_waiting={PLACES - 2}",
    f"--max_seconds={SECONDS}",
    f"--max_connections={CONNECTIONS}",
    f"--max_request_bytes={BYTES}",
    f"--max_instances={INSTANCES}",
]
