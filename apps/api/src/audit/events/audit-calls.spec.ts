import { expect, it } from '@jest/globals';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ReadTrail } from '#api/ops-kit/read-trail.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { EventRequest } from '#infra/engine/audit-index/event-pages.js';
import type { AuditEvents } from '#infra/engine/audit-index/open-audit-index.js';
import { AuditCalls } from './audit-calls.js';
import { LinesAnswer } from './ndjson.js';

it('lists as NDJSON are at most 64 at a time, and 16 of one key', async () => {
  const pages = { portions: async function* () {} };
  const calls = new AuditCalls({ pages } as unknown as AuditEvents, {} as EventStore, {} as ReadTrail);
  const begin = (sharedBy: string) =>
    calls.answer(
      { request: { sharedBy } as FastifyRequest, reply: {} as FastifyReply, lines: true, query: { limit: undefined, personal: undefined } },
      {} as EventRequest,
      () => null,
    );
  for (const key of ['a', 'b', 'c', 'd']) {
    for (let list = 0; list < 16; list++) expect(await begin(key)).toBeInstanceOf(LinesAnswer);
    await expect(begin(key)).rejects.toMatchObject({ status: 503 });
  }
  await expect(begin('e')).rejects.toMatchObject({ status: 503 });
});
