"""Publishes each line of standard input as a message and prints the ids: python3 publisher.py <project> <topic> [<attribute>=<value> …] < lines.txt

Environment: LOGBOOK_URL, MESSAGING_KEY (a token with the role publisher that is in the ACL of the topic).
"""

import base64
import os
import sys
import uuid
from itertools import islice

from logbook import call

LINES_PER_CALL = 500


def publish(project, topic, lines, attributes):
    """All messages of a call are stored, or none; repeated with its key it stores them once."""
    messages = [{"data": base64.b64encode(line).decode(), "attributes": attributes} for line in lines]
    headers = {"x-api-key": os.environ["MESSAGING_KEY"]}
    answer = call(f"/v1/projects/{project}/topics/{topic}:publish", headers, {"messages": messages}, idempotency_key=str(uuid.uuid4()))
    return answer["messageIds"]


def main(project, topic, *pairs):
    attributes = dict(pair.split("=", 1) for pair in pairs)
    lines = filter(None, (line.rstrip(b"\r\n") for line in sys.stdin.buffer))  # a message without data and attributes is refused
    while part := list(islice(lines, LINES_PER_CALL)):
        print(*publish(project, topic, part, attributes), sep="\n", flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
