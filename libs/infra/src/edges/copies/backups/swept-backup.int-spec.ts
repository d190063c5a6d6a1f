import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { openEmbeddedEventStore } from '#infra/stores/event-store/embedded/embedded-event-store.js';
import { newEvent } from '#test/contracts/event-store/fixture.js';
import { backUpLog } from './backup.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'logbook-swept-'));
});
afterEach(() => rmSync(root, { recursive: true }));

it('a backup has nothing of what is unreadable for good, in no page of its file', async () => {
  const path = join(root, 'original');
  const log = openEmbeddedEventStore({ path });
  for (const text of ['destroyed', 'kept']) await log.append('notes-1', [newEvent({ text })], 'any');
  await log.truncate('notes-1', 1n);
  const directory = join(root, 'backup');
  expect(await backUpLog(log, directory)).toMatchObject({ position: '2' });
  await log.close();
  const bytes = (from: string) => readFileSync(join(from, 'data.mdb'));
  expect([bytes(path).includes('destroyed'), bytes(path).includes('kept')]).toEqual([true, true]);
  const copy = join(directory, 'log');
  expect([bytes(copy).includes('destroyed'), bytes(copy).includes('kept'), readdirSync(directory)]).toEqual([false, true, ['log']]);
});
