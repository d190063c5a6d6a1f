import { expect, it } from '@jest/globals';
import type { RootDatabase } from 'lmdb';
import { EventStoreUnavailable } from '#domain/shared/event-store.js';
import type { DiskRoom } from '#infra/stores/event-store/embedded/storage/disk-room.js';
import { TransactionWriter, WriteOutcomeUnknown } from './writer.js';

it('a write that has not begun within its time is refused, and not done later; one whose commit stands still may have been done', async () => {
  const begun: (() => void)[] = [];
  const root = {
    transaction: (work: () => void) => {
      begun.push(work);
      if (begun.length === 1) work();
      return new Promise(() => undefined); // the disk stands still
    },
  } as unknown as RootDatabase;
  const writer = new TransactionWriter(
    root,
    () => undefined,
    {} as DiskRoom,
    10,
    () => undefined,
  );
  const done: string[] = [];
  const write = (name: string) =>
    writer.write((beforeWriting) => {
      beforeWriting();
      done.push(name);
    });
  const [first, second, third] = [write('first'), write('second'), write('third')];
  await expect(first).rejects.toThrow(WriteOutcomeUnknown);
  for (const late of [second, third]) await expect(late).rejects.toThrow(EventStoreUnavailable);
  begun[1]?.();
  expect(done).toEqual(['first']);
});
