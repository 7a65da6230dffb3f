"""With certificate files the API speaks TLS alone, and its cookie travels over nothing else."""

import asyncio
import datetime
import ipaddress
import ssl
from dataclasses import replace

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from host_tools.api import door, patience
from host_tools.client import HttpTables
from host_tools.people import Role
from tests.host_tools.api.api_rig import FOUNDER, Api, served
from tests.host_tools.service.service_rig import COVERED, PASSWORD, house


@pytest.fixture
def certificate(tmp_path):
    """A self-signed certificate for this machine and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "a table service")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False
        )
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (tmp_path / "cert.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    (tmp_path / "key.pem").write_bytes(private)
    return tmp_path / "cert.pem", tmp_path / "key.pem"


async def test_a_table_server_and_people_come_in_over_tls(tmp_path, certificate):
    cert, key = certificate
    trusted = ssl.create_default_context(cafile=str(cert))
    async with house(tmp_path) as at:
        at.service.config = replace(
            at.service.config, api=replace(at.service.config.api, certificate=cert, key=key)
        )
        token = await Api(at).token()
        await at.service.accounts.add_person("Ada", Role.DEALER, PASSWORD, FOUNDER)
        async with served(at) as url, HttpTables(url, token, tls=trusted) as tables:
            assert url.startswith("https://")
            assert [each.name for each in await tables.tables()] == [COVERED]
            events = tables.follow(0)
            await at.ended(COVERED, await at.betting())
            assert (await anext(events)).kind == "round-opened"
            async with httpx.AsyncClient(base_url=url, verify=trusted) as page:
                answer = await page.post("/api/session", json={"name": "Ada", "password": PASSWORD})
                assert "Secure" in answer.headers["set-cookie"]
                for path in ("/", "/health", "/api/tables"):
                    told = (await page.get(path)).headers["strict-transport-security"]
                    assert int(told.partition("max-age=")[2]) >= 31536000
            async with httpx.AsyncClient() as plain:
                with pytest.raises(httpx.TransportError):
                    await plain.get(url.replace("https", "http"))


async def test_half_a_handshake_and_half_a_request_are_given_up(tmp_path, certificate, monkeypatch):
    monkeypatch.setattr(door, "HANDSHAKE_S", 0.5)
    monkeypatch.setattr(patience, "REQUEST_S", 0.5)
    cert, key = certificate
    trusted = ssl.create_default_context(cafile=str(cert))
    async with house(tmp_path) as at:
        at.service.config = replace(
            at.service.config, api=replace(at.service.config.api, certificate=cert, key=key)
        )
        async with served(at) as url:
            port = int(url.rpartition(":")[2])
            for said in (b"", b"\x16\x03\x01", b"GET / HTTP/1.1\r\n\r\n"):
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.write(said)
                await asyncio.wait_for(reader.read(), 5)
                writer.close()
            reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=trusted)
            writer.write(b"GET /health HTTP/1.1\r\n")
            assert (await asyncio.wait_for(reader.read(), 5)).startswith(b"HTTP/1.1 408 ")
            writer.close()
