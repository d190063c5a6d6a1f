"""Prints the messages of a subscription as they come, one line each, until SIGINT or SIGTERM: python3 subscriber.py <project> <subscription>

Environment: LOGBOOK_URL, MESSAGING_KEY (a token with the role consumer that is in the ACL of the subscription).

Serves both kinds of subscriptions. Where messages are acknowledged one by one (ackMode message), start as many of these as are needed to keep up:
they share the messages. With a cursor, start one. Either way a message may come twice: after a crash, or when its handling takes too long.
"""

import base64
import os
import signal
import sys
import time

from logbook import CallFailed, call

BATCH = 100  # no more than can be handled within the ackDeadlineSeconds of the subscription


class Ending(Exception):
    """Raised by a signal while the program waits for messages; otherwise it ends after the batch."""


class Subscriber:
    def __init__(self, project, subscription):
        self.path = f"/v1/projects/{project}/subscriptions/{subscription}"
        self.headers = {"x-api-key": os.environ["MESSAGING_KEY"]}
        self.is_waiting = False
        self.is_ending = False

    def end(self, *_):
        self.is_ending = True
        if self.is_waiting:
            raise Ending

    def ask(self, max_messages, return_immediately):
        body = {"maxMessages": str(max_messages), "returnImmediately": return_immediately}
        return call(f"{self.path}:pull", self.headers, body)["receivedMessages"]

    def pull(self):
        """What is there; otherwise the next message, for up to half a minute. A pull that waits for more than one goes on for 3 s to gather them."""
        self.is_waiting = True
        try:
            return self.ask(BATCH, "true") or self.ask(1, "false")
        finally:
            self.is_waiting = False

    def settle(self, verb, ack_ids, **more):
        """Acknowledges, or gives back. Has no Idempotency-Key: a repeat does no harm, and keys of so many calls would stay in the log.

        A refusal is no end: the messages are acknowledged already, or were due before, and come again.
        """
        if not ack_ids:
            return
        try:
            call(f"{self.path}:{verb}", self.headers, {"ackIds": ack_ids, **more})
        except CallFailed as error:
            if error.status not in (408, 409):
                raise
            print(f"{verb}: {error}", file=sys.stderr)

    def work_off(self, received):
        """Handles messages in order. With a cursor the first that fails ends the batch: it comes again with those behind it, after a second."""
        done, failed = [], []
        for item in received:
            try:
                handle(item["message"])
                done.append(item["ackId"])
            except Exception as error:  # whatever the work raises gives the message back
                print(f"{item['message']['messageId']} failed: {error}", file=sys.stderr)
                failed.append(item["ackId"])
                if "deliveryAttempt" not in item:
                    break
        self.settle("acknowledge", done)
        if failed and "deliveryAttempt" in received[0]:
            self.settle("modifyAckDeadline", failed, ackDeadlineSeconds=0)
        elif failed:
            time.sleep(1)

    def run(self):
        while not self.is_ending:
            self.work_off(self.pull())


def handle(message):
    """The work. What it raises gives the message back."""
    print(message["messageId"], base64.b64decode(message["data"]).decode(), flush=True)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    subscriber = Subscriber(*sys.argv[1:])
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, subscriber.end)
    try:
        subscriber.run()
    except Ending:
        pass
