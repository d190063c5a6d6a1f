"""Calls of Logbook that are repeated while that can help. Python 3.9 or newer, standard library only."""

import json
import os
import random
import time
import urllib.error
import urllib.request
from email.utils import parsedate_to_datetime
from http.client import HTTPException

ATTEMPTS = 8
CALL_SECONDS = 60  # a pull that waits for messages is answered after 33 seconds at most
LONGEST_PAUSE = 30
PASSING = {429, 500, 502, 503, 504}  # failed for a reason that may pass, in Logbook or in a proxy before it


class CallFailed(Exception):
    """Logbook understood the call and refused it, or did not answer any of the attempts: status 0."""

    def __init__(self, status, text):
        super().__init__(f"{status}: {text}")
        self.status = status


def pause_after(attempt, retry_after):
    """Seconds before the next attempt: what the server asks for, otherwise twice as long each time and not in step with other clients."""
    own = min(LONGEST_PAUSE, 0.25 * 2**attempt) * random.uniform(0.5, 1)
    try:
        asked = float(retry_after) if retry_after.isdigit() else parsedate_to_datetime(retry_after).timestamp() - time.time()
    except (AttributeError, TypeError, ValueError):  # absent, or no date
        return own
    return min(asked, 10 * LONGEST_PAUSE) if asked > 0 else own


def _answer_to(request):
    """The answer, of whatever status."""
    try:
        return urllib.request.urlopen(request, timeout=CALL_SECONDS)
    except urllib.error.HTTPError as error:
        return error


def _attempt(request):
    try:
        with _answer_to(request) as answer:
            return answer.status, answer.headers.get("Retry-After"), answer.read().decode(errors="replace")
    except (OSError, HTTPException) as error:
        return 0, None, f"no answer ({error})"


def call(path, headers, body=None, idempotency_key=None, method=None):
    """Calls Logbook, again and again while that can help, and returns the JSON of the answer; None where it has no body.

    path: from the root of the server. headers: the credential of the service. idempotency_key: for a POST that changes something, the same for
    all attempts, so that it happens once; Logbook remembers it for 48 hours. Raises CallFailed.
    """
    headers = {"Accept": "application/json", "Content-Type": "application/json", **headers}
    if idempotency_key:
        headers["Idempotency-Key"] = idempotency_key
    data = None if body is None else json.dumps(body).encode()
    url = os.environ.get("LOGBOOK_URL", "http://127.0.0.1:8080") + path
    for attempt in range(1, ATTEMPTS + 1):
        status, retry_after, text = _attempt(urllib.request.Request(url, data=data, headers=headers, method=method))
        if 200 <= status < 300:
            return json.loads(text) if text else None
        if attempt == ATTEMPTS or status and status not in PASSING:
            raise CallFailed(status, text)
        time.sleep(pause_after(attempt, retry_after))
