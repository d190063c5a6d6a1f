import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { ProposedEvent } from '#test/support/eventstoredb/stored-event.js';
import { JournaledLog } from './journaled-log.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'logbook-journal-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const event = (id: string): ProposedEvent => ({
  id,
  type: 'Counted',
  contentType: 'application/json',
  metadata: Buffer.from('{}'),
  data: Buffer.from(`{"id":"${id}"}`),
});

it('a log from a file is the one that was written, but for what a write left unfinished', async () => {
  const path = join(folder, 'log');
  const log = JournaledLog.open(path);
  log.append('one', [event('a'), event('b')], 'no-stream');
  log.append('two', [event('c')], 'any');
  log.append('one', [event('x')], 'no-stream');
  log.append('one', [event('d')], 1n);
  await appendFile(path, '{"at":1,"stream":"one","expe');
  const again = JournaledLog.open(path);
  const described = ({ events }: JournaledLog) =>
    events
      .slice(1)
      .map(({ stream, revision, position, created, type, data }) => [
        stream,
        revision,
        position,
        created,
        type,
        Buffer.from(data).toString(),
      ]);
  expect(described(again)).toEqual(described(log));
  expect(again.append('one', [event('a'), event('b')], 'no-stream')).toEqual({
    kind: 'written',
    revision: 1n,
    position: expect.any(BigInt),
  });
  expect(again.append('one', [event('f')], 1n)).toEqual({ kind: 'conflict', actual: 2n });
});
