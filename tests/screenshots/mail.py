"""The HTML part of a mail, with its pictures in place, as a mail program would show it."""

import base64
import email
import email.policy
import sys

source, target = sys.argv[1:]
with open(source, "rb") as file:
    message = email.message_from_binary_file(file, policy=email.policy.default)
html = message.get_body(("html",)).get_content()
for part in message.walk():
    if part.get_content_maintype() == "image":
        name = part["content-id"].strip("<>")
        data = base64.b64encode(part.get_payload(decode=True)).decode()
        html = html.replace(f"cid:{name}", f"data:{part.get_content_type()};base64,{data}")
with open(target, "w", encoding="utf-8") as file:
    file.write(html)
