import { setTimeout as sleep } from 'node:timers/promises';

const ATTEMPTS = 8;
/** A pull that waits for messages is answered after 33 seconds at most. */
const CALL_MS = 60_000;
const LONGEST_PAUSE_MS = 30_000;
/** The call may have failed for a reason that passes, in Logbook or in a proxy before it. */
const PASSING = new Set([429, 500, 502, 503, 504]);

/** Logbook understood the call and refused it, or did not answer any of the attempts: `status` 0. */
export class CallFailed extends Error {
  readonly status: number;

  constructor(status: number, text: string) {
    super(`${status}: ${text}`);
    this.status = status;
  }
}

export type Call = Readonly<{
  /** Default: POST with a body, otherwise GET. */
  method?: 'GET' | 'POST' | 'PUT';
  body?: unknown;
  /** The credential of the service: `x-api-key`, or `authorization` for accounting. */
  headers: Readonly<Record<string, string>>;
  /** For a POST that changes something: the same for all attempts, so that it happens once. Remembered for 48 hours. */
  idempotencyKey?: string;
  /** Ends the call, and the wait before its next attempt. */
  signal?: AbortSignal;
}>;

/** Milliseconds before the next attempt: what the server asks for, otherwise twice as long each time and not in step with other clients. */
const pauseAfter = (attempt: number, retryAfter: string | null): number => {
  const asked = /^\d+$/.test(retryAfter ?? '') ? Number(retryAfter) * 1000 : Date.parse(retryAfter ?? '') - Date.now();
  const own = Math.min(LONGEST_PAUSE_MS, 250 * 2 ** attempt) * (0.5 + Math.random() / 2);
  return asked > 0 ? Math.min(asked, 10 * LONGEST_PAUSE_MS) : own;
};

const attemptOf = async (url: string, { method, body, headers, idempotencyKey, signal }: Call) => {
  const limit = AbortSignal.timeout(CALL_MS);
  try {
    const answer = await fetch(url, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    });
    return { status: answer.status, retryAfter: answer.headers.get('retry-after'), text: await answer.text() };
  } catch (error) {
    return { status: 0, retryAfter: null, text: `no answer (${error})` };
  }
};

/**
 * Calls Logbook, again and again while that can help, and returns the JSON of the answer; `null` where it has no body.
 * @param path from the root of the server, such as `/v1/projects`
 * @throws CallFailed
 */
export const call = async <T>(path: string, what: Call): Promise<T> => {
  const { LOGBOOK_URL = 'http://127.0.0.1:8080' } = process.env;
  for (let attempt = 1; ; attempt++) {
    const { status, retryAfter, text } = await attemptOf(LOGBOOK_URL + path, what);
    if (status >= 200 && status < 300) return JSON.parse(text || 'null');
    what.signal?.throwIfAborted();
    if (attempt === ATTEMPTS || (status !== 0 && !PASSING.has(status))) throw new CallFailed(status, text);
    await sleep(pauseAfter(attempt, retryAfter), undefined, { signal: what.signal });
  }
};
