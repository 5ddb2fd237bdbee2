"""Reads mail files as a mail program would: one JSON line for each path in the arguments."""

import email
import email.policy
import json
import sys

for path in sys.argv[1:]:
    with open(path, "rb") as file:
        message = email.message_from_binary_file(file, policy=email.policy.default)
    parts = [part for part in message.walk() if not part.is_multipart()]
    plain = message.get_body(("plain",))
    print(
        json.dumps(
            {
                "to": str(message["to"]),
                "subject": str(message["subject"]),
                "text": plain.get_content() if plain else None,
                "types": [part.get_content_type() for part in parts],
                "defects": [str(d) for part in message.walk() for d in part.defects],
            }
        )
    )
