"""A real SMTP server (aiosmtpd) for the tests of the mail crate.

Reads one JSON line, answers `{"port": …}`, then prints one JSON line for every connection, command,
login and accepted mail. Ends when its standard input closes.

Keys, all optional:
  tls           "none" (default), "starttls", "implicit"; then certificate and key name PEM files
  auth          {"user", "password"}: a login is required
  echo_login    a refused login is answered with the password in it, as a hostile server might
  rcpt          address -> reply, e.g. "550 5.1.1 unknown"
  mail_reply    reply to MAIL FROM instead of 250
  dot_reply     reply after the final dot instead of 250
  silence       "greeting", "dot", or the verb that is never answered: "EHLO", "DATA", …
  hang_up       "421" or "silent": what the first connection does after its first mail
  cut_after_dot takes the mail and closes without an answer
  size          SIZE that is announced
  dot_limit     larger mails are refused with 552 after the final dot
  smtputf8      announces SMTPUTF8 (default true)
"""

import asyncio
import csv
import email
import email.policy
import io
import json
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult


def say(**event):
    print(json.dumps(event), flush=True)


def text(part):
    """What a part says; a picture says nothing."""
    content = part.get_content()
    return content.replace("\r\n", "\n") if isinstance(content, str) else ""


def parsed(raw):
    message = email.message_from_bytes(raw, policy=email.policy.default)
    lines = raw.split(b"\r\n")
    head = lines[: lines.index(b"")]
    parts = [part for part in message.walk() if not part.is_multipart()]
    return {
        "type": message.get_content_type(),
        "headers": [[name.lower(), str(value)] for name, value in message.items()],
        "raw_headers": [line.decode("utf-8", "replace") for line in head],
        "parts": [part_of(part) for part in parts],
        "structure": [part.get_content_type() for part in message.walk()],
        "defects": [str(d) for part in message.walk() for d in part.defects],
        "longest_line": max(len(line) for line in lines),
    }


def part_of(part):
    said = {
        "type": part.get_content_type(),
        "file": part.get_filename(),
        "cid": part["content-id"],
        "disposition": part.get_content_disposition(),
        "size": len(part.get_payload(decode=True)),
        "text": text(part),
    }
    if part.get_content_type() == "text/csv":
        said["rows"] = list(csv.reader(io.StringIO(part.get_content(), newline=""), strict=True))
    if part.get_content_type() == "image/png":
        said["magic"] = part.get_payload(decode=True)[:8].hex()
    return said


class Handler:
    def __init__(self, config):
        self.config = config

    async def handle_MAIL(self, server, session, envelope, address, options):
        if "mail_reply" in self.config:
            return self.config["mail_reply"]
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return "250 OK"

    async def handle_RCPT(self, server, session, envelope, address, options):
        refusal = self.config.get("rcpt", {}).get(address)
        if refusal:
            return refusal
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        if self.config.get("silence") == "dot":
            await forever()
        if "dot_reply" in self.config:
            return self.config["dot_reply"]
        if len(envelope.content) > self.config.get("dot_limit", len(envelope.content)):
            return "552 5.3.4 message too big"
        say(
            event="mail",
            sender=envelope.mail_from,
            options=envelope.mail_options,
            recipients=envelope.rcpt_tos,
            **parsed(envelope.content),
        )
        if self.config.get("cut_after_dot"):
            server.transport.abort()
        return "250 2.0.0 queued as 4711"


async def forever(*_):
    await asyncio.Event().wait()


class Server(SMTP):
    """Tells every verb, keeps silent where it should, and hangs up where it should."""

    hung_up = False

    def __init__(self, config, context):
        self.config = config
        auth = config.get("auth")
        super().__init__(
            Handler(config),
            hostname="mail.test",
            data_size_limit=config.get("size", 33554432),
            enable_SMTPUTF8=config.get("smtputf8", True),
            tls_context=context if config.get("tls") == "starttls" else None,
            auth_required=bool(auth),
            auth_require_tls=False,
            authenticator=self.authenticate,
        )
        for verb, method in list(self._smtp_methods.items()):
            self._smtp_methods[verb] = self.told(verb, method)

    def connection_made(self, transport):
        # Called again for the same connection once STARTTLS is done.
        if self._original_transport is None:
            say(event="connection")
        super().connection_made(transport)

    def told(self, verb, method):
        async def run(arg):
            say(event="command", verb=verb)
            if self.config.get("silence") == verb:
                await forever()
            await method(arg)
            if verb == "DATA" and "hang_up" in self.config and not Server.hung_up:
                Server.hung_up = True
                if self.config["hang_up"] == "421":
                    await self.push("421 4.4.2 idle for too long")
                self.transport.close()

        return run

    def authenticate(self, server, session, envelope, mechanism, data):
        auth = self.config["auth"]
        given = (data.login.decode(), data.password.decode())
        fits = given == (auth["user"], auth["password"])
        say(event="auth", accepted=fits, user=given[0])
        if not fits and self.config.get("echo_login"):
            return AuthResult(success=False, message=f"535 5.7.8 wrong: {given[1]}", handled=False)
        return AuthResult(success=fits, handled=False)


class Mute(asyncio.Protocol):
    """Takes connections and never says a word."""

    def connection_made(self, transport):
        say(event="connection")


async def main():
    loop = asyncio.get_running_loop()
    config = json.loads(sys.stdin.readline())
    context = None
    if config.get("tls", "none") != "none":
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(config["certificate"], config["key"])
    mute = config.get("silence") == "greeting"
    listening = await loop.create_server(
        Mute if mute else lambda: Server(config, context),
        host="127.0.0.1",
        port=0,
        ssl=context if config.get("tls") == "implicit" else None,
    )
    say(port=listening.sockets[0].getsockname()[1])
    await loop.run_in_executor(None, sys.stdin.read)


asyncio.run(main())
