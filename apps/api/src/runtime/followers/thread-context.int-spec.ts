import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openEventStoreDbLog } from '#api/runtime/foreign-streams.js';
import type { ExpectedRevision } from '#domain/shared/event-store.js';
import type { NewEvent } from '#domain/shared/events.js';
import { type EventStoreDbTestServer, startEventStoreDb } from '#test/support/eventstoredb/server.js';
import { openThreadContext } from './thread-context.js';

let events: EventStoreDbTestServer;
beforeAll(async () => {
  events = await startEventStoreDb();
});
afterAll(() => events.stop());

it('a thread waits for a log that does not answer its first read in the time of a call', async () => {
  const log = { eventStoreUrl: events.connectionString, eventStoreClient: 'official' } as const;
  const main = await openEventStoreDbLog(log);
  events.refuseNotReady(true);
  const settings = { ...log, dataDirectory: '', masterKey: Buffer.alloc(32, 1), logLevel: 'silent', chain: false } as const;
  const ask = (_topic: string, request: unknown) => {
    const append = request as { stream: string; events: readonly NewEvent[]; expected: ExpectedRevision };
    return main.append(append.stream, append.events, append.expected);
  };
  const opening = openThreadContext(settings, { report: () => undefined, ask });
  const failed = opening.then(() => 'opened').catch(() => 'failed');
  for (let call = 1; call <= 2; call += 1)
    expect(await Promise.race([failed, main.readAll({ after: 0n, limit: 1 }).catch(() => 'waits')])).toBe('waits');
  events.refuseNotReady(false);
  const { context, close } = await opening;
  expect((await context.events.readAll({ after: 0n, limit: 1 })).events).toHaveLength(1); // its master key
  await close();
  await main.close();
});
