"""The metrics of the pages: by page and status, without a name that a reader could choose."""

import re
from urllib.request import urlopen

import httpx
import pytest
from prometheus_client.registry import CollectorRegistry

from arena.web.application import build_application
from arena.web.page_meter import PageMeter
from tests.support.commands import start_command
from tests.support.web_data import TWO_GAMES
from tests.web.conftest import open_sources


async def test_requests_are_counted_by_page_and_status(web_data):
    registry = CollectorRegistry()
    async with open_sources(web_data) as sources:
        site = httpx.ASGITransport(build_application(sources, meter=PageMeter(registry)))
        async with httpx.AsyncClient(transport=site, base_url="http://127.0.0.1") as client:
            for path in ("/matches", "/matches.json", f"/matches/{TWO_GAMES}", "/bots/nobody-1", "/bots/x", "/nowhere"):
                await client.get(path)
            await client.get("/matches", headers={"Host": "evil.example"})

    def count(page: str, code: int) -> float | None:
        return registry.get_sample_value("arena_page_requests_total", {"page": page, "code": str(code)})

    assert count("/matches", 200) == 2
    assert count("/matches/{match_id}", 200) == 1
    assert count("/bots/{name}", 404) == 2
    assert (count("none", 404), count("none", 400)) == (1, 1)
    assert registry.get_sample_value("arena_page_first_byte_seconds_count") == 7


@pytest.mark.slow
def test_server_gives_its_pages_a_port_for_metrics_of_their_own(tmp_path):
    with start_command("serve", "--data", tmp_path, "--web", 0, "--web-metrics-port", 0) as server:
        url = server.wait_for_line("WEB ").split()[1]
        metrics = server.wait_for_line("WEB-METRICS ").split()[1]
        urlopen(url, timeout=20).close()
        shown = urlopen(f"http://{metrics}/metrics", timeout=20).read().decode()

    assert re.search(r'arena_page_requests_total\{code="200",page="/"\} 1\.0', shown)
    assert "process_cpu_seconds_total" in shown
