"""Reads messages, one in base64 on each line, with Python's email package; says on a line of JSON what it found."""

import base64
import email
import email.errors
import email.header
import email.policy
import email.utils
import json
import sys


def read(message):
    leaves = [part for part in message.walk() if not part.is_multipart()]
    files = [part for part in leaves if part.get_content_disposition()]
    return {
        "subject": str(message["subject"]),
        "from": mailboxes(message, "from"),
        "to": mailboxes(message, "to"),
        "text": text_of(leaves, "text/plain"),
        "html": text_of(leaves, "text/html"),
        "files": [
            {
                "filename": part.get_filename(),
                "contentType": part.get_content_type(),
                "disposition": part.get_content_disposition(),
                "contentId": part["content-id"] and str(part["content-id"]),
                "content": base64.b64encode(part.get_payload(decode=True)).decode(),
            }
            for part in files
        ],
        "defects": [repr(defect) for part in message.walk() for defect in defects_of(part)],
    }


def mailboxes(message, name):
    # The newer parser keeps the blank between two encoded words of a phrase, against RFC 2047 section 6.2,
    # so names are read by the older one.
    raw = next(value for key, value in message.raw_items() if key.lower() == name)
    found = email.utils.getaddresses(["".join(raw.splitlines())])
    assert [address for _, address in found] == [one.addr_spec for one in message[name].addresses]
    return [{"name": decoded(phrase), "address": address} for phrase, address in found]


def decoded(phrase):
    return str(email.header.make_header(email.header.decode_header(phrase)))


def text_of(leaves, content_type):
    for part in leaves:
        if part.get_content_type() == content_type and not part.get_content_disposition():
            return part.get_payload(decode=True).decode("utf-8").replace("\r\n", "\n")
    return None


def defects_of(part):
    yield from part.defects
    for value in part.values():
        for defect in getattr(value, "defects", []):
            # This isn't a defect under RFC 6532, for which the policy is meant.
            if not isinstance(defect, email.errors.NonASCIILocalPartDefect):
                yield defect


for line in sys.stdin:
    parsed = email.message_from_string(base64.b64decode(line).decode("utf-8"), policy=email.policy.SMTPUTF8)
    print(json.dumps(read(parsed)), flush=True)
