"""A typed client of `prpf serve`. Its only dependency is httpx."""
from prpf_client.api import Client
from prpf_client.http import Event, PrpfError

__all__ = ["Client", "Event", "PrpfError"]
