"""Reports usage of an installation, one line of CSV each (start, end, value): python3 accounting_reporter.py <installation> <metric definition> < usage.csv

    2024-05-01T00:00:00Z,2024-05-01T23:59:59Z,42

Environment: LOGBOOK_URL, ACCOUNTING_TOKEN (an access token with the role admin on the installation).

Meant for cron: no line is counted twice, because the server is asked for the metric of its period before it is reported, and its key is made of what it is
about. One that comes with another value is refused and named; correct it with PATCH. Prints what was reported; exit code 1 when lines were refused.
"""

import csv
import hashlib
import os
import sys
from datetime import datetime, timedelta, timezone
from itertools import count
from urllib.parse import urlencode

from logbook import PASSING, CallFailed, call


def instant(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00")).astimezone(timezone.utc)


def reported(path, headers, definition, start, end):
    """The metric of this very period, of no group and no user, or None. Lists take days, and leave out that of `end`."""
    period = (instant(start), instant(end))
    days = {"start": period[0].date(), "end": period[1].date() + timedelta(days=1)}
    for page in count(1):
        answer = call(f"{path}?{urlencode({'metric-definition-id': definition, **days, 'size': 100, 'page': page})}", headers)
        for metric in answer["content"]:
            is_whole = metric.get("group_id") is None and metric.get("user_id") is None
            if is_whole and (instant(metric["time_period_start"]), instant(metric["time_period_end"])) == period:
                return metric
        if page >= answer["total_pages"]:
            return None


def report(installation, definition, start, end, value):
    """The id of the metric, which is reported now or was before. Raises ValueError where it was with another value.

    The key is for a call that did not get its answer: the same call again, within 48 hours, returns the same id.
    """
    headers = {"Authorization": f"Bearer {os.environ['ACCOUNTING_TOKEN']}"}
    path = f"/accounting-system/installations/{installation}/metrics"
    before = reported(path, headers, definition, start, end)
    if before and before["value"] != value:
        raise ValueError(f"{before['id']} was reported with the value {before['value']}")
    if before:
        return before["id"]
    body = {"metric_definition_id": definition, "time_period_start": start, "time_period_end": end, "value": value}
    about = "\n".join((installation, definition, start, end))
    return call(path, headers, body, idempotency_key=hashlib.sha256(about.encode()).hexdigest())["metric_id"]


def main(installation, definition):
    refused = 0
    for number, fields in enumerate(csv.reader(sys.stdin), start=1):
        if not fields:
            continue
        try:
            start, end, value = (field.strip() for field in fields)
            print(start, end, value, report(installation, definition, start, end, float(value)))
        except (CallFailed, ValueError) as error:
            if isinstance(error, CallFailed) and error.status in PASSING | {0, 401, 403, 404}:
                raise  # no line will fare better
            print(f"line {number}: {error}", file=sys.stderr)
            refused += 1
    return 1 if refused else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
