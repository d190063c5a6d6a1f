import { randomUUID } from 'node:crypto';
import { unavailable as accountingUnavailable } from '#api/accounting/errors.js';
import { notReady } from '#api/messaging/errors.js';
import { Problem } from '#api/ops-kit/problem.js';
import { unavailable as statusUnavailable } from '#api/status/errors.js';
import { wireText } from '#projections/status/layout.js';

export type WaitingAnswer = Readonly<{ status: number; headers: Readonly<Record<string, string>>; body: string }>;

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

const accountingBody = (): string => {
  const { statusCode: code, message } = accountingUnavailable();
  return JSON.stringify({ code, message });
};

/** What each service says where it cannot process a request now. */
const BODIES: readonly (readonly [path: RegExp, body: () => string])[] = [
  [/^\/v1\//, () => notReady().body],
  [/^\/accounting-system\//, accountingBody],
  [/^\/api\/v\d\//, () => wireText(statusUnavailable().body)],
];

/** The answers of a server that waits for its stores: alive, not ready, and 503 in the shape of the service that is asked. */
export class WaitingAnswers {
  /** @param reason what is waited for now */
  constructor(private readonly reason: () => string) {}

  to(url: string): WaitingAnswer {
    const path = url.split('?', 1)[0] ?? url;
    if (path === '/health/live') return { status: 200, headers: JSON_TYPE, body: JSON.stringify({ status: 'up' }) };
    const headers = { ...JSON_TYPE, 'retry-after': '5' };
    if (path === '/health' || path === '/health/ready')
      return { status: 503, headers, body: JSON.stringify({ status: 'down', reason: this.reason() }) };
    const body = BODIES.find(([prefix]) => prefix.test(path))?.[1];
    if (body) return { status: 503, headers, body: body() };
    const problem = new Problem(503, 'The server is starting: it waits for its stores.').body(randomUUID());
    return { status: 503, headers: { ...headers, 'content-type': 'application/problem+json' }, body: problem };
  }
}
