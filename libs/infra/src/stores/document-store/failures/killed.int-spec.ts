import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startDocumentProcess } from '#test/support/document-store/child-processes.js';
import { differenceIn, PAST, PLAIN } from '#test/support/document-store/churn.js';
import { randomNumbers } from '#test/support/event-stores/damage.js';
import { temporaryDirectory } from '#test/support/event-stores/embedded-log.js';
import { runs, SEED } from '#test/support/test-runs.js';
import { openDocumentStore } from '../open.js';

let directory: ReturnType<typeof temporaryDirectory>;
const random = randomNumbers(SEED);
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => directory.remove());

const isNumber = (line: unknown): line is number => typeof line === 'number';
const hasCommitted = (lines: readonly unknown[]): boolean => lines.some(isNumber);

/** Compares all documents with the result of the commits up to the last one. @returns the number of the last one */
const lastOfWhole = async (path: string): Promise<number> => {
  const damages: unknown[] = [];
  const store = await openDocumentStore({
    path,
    keepsPast: (projection) => projection === PAST,
    report: () => {},
    onDamage: (damage) => damages.push(damage),
  });
  const lasts: number[] = [];
  for (const projection of [PAST, PLAIN]) {
    const last = Number((await store.standing(projection))?.checkpoint);
    expect(differenceIn(await store.view(projection).range('documents', {}), last)).toBeUndefined();
    lasts.push(last);
  }
  const [last = 0] = lasts;
  for (let look = 0; look < 20; look += 1) {
    const position = Math.floor(random() * (last + 1));
    const documents = await store.past(PAST, BigInt(position)).range('documents', {});
    expect(differenceIn(documents, position)).toBeUndefined();
  }
  expect(damages).toEqual([]);
  await store.close();
  return Math.min(...lasts);
};

describe(`documents of a process that was killed (seed ${SEED})`, () => {
  it('are those of all commits up to one not before the last that was acknowledged, with their past', async () => {
    for (let round = 0, before = 0; round < runs(20, 5); round += 1) {
      const writer = startDocumentProcess('write', directory.path);
      await writer.printed(60);
      await delay(random() * 400);
      await writer.kill();
      expect(writer.lines.every(isNumber)).toBe(true);
      const last = await lastOfWhole(directory.path);
      expect(last).toBeGreaterThanOrEqual(Number(writer.lines.at(-1)));
      expect(last).toBeGreaterThan(before);
      before = last;
    }
  }, 600_000);
});

describe(`documents that another process writes (seed ${SEED})`, () => {
  it.each(['thread', 'process that opened them before'])(
    'are read by a %s as they were after some commit, through indexing and new builds',
    async (kind) => {
      const isSeen = (line: unknown): line is { seen: number; builds: number } =>
        typeof line === 'object' && line !== null && 'seen' in line;
      let writer = startDocumentProcess(kind === 'thread' ? 'write-beside-thread' : 'write', directory.path);
      let reader = writer;
      await writer.printed(hasCommitted);
      if (kind !== 'thread') {
        await writer.kill();
        reader = startDocumentProcess('read', directory.path);
        await reader.printed((lines) => lines.some(isSeen));
        writer = startDocumentProcess('write', directory.path);
      }
      const isWrong = (line: unknown): boolean => !isNumber(line) && !isSeen(line);
      const most = runs(2_000, 400);
      const isEnough = ({ seen, builds } = { seen: 0, builds: 0 }): boolean => seen > most && builds > 2;
      await reader.printed((lines) => lines.some(isWrong) || isEnough(lines.findLast(isSeen)));
      await writer.kill();
      await reader.kill();
      expect(reader.lines.filter(isWrong)).toEqual([]);
      await lastOfWhole(directory.path);
    },
    600_000,
  );
});

describe('the lock of a process that was killed', () => {
  it('is taken over, and refused as long as it lives', async () => {
    const writer = startDocumentProcess('write', directory.path);
    await writer.printed(hasCommitted);
    await expect(openDocumentStore({ path: directory.path })).rejects.toThrow(`is in use by process ${writer.child.pid}`);
    await writer.kill();
    const store = await openDocumentStore({ path: directory.path, report: () => {} });
    await expect(openDocumentStore({ path: directory.path })).rejects.toThrow('is in use by this process already');
    await store.close();
  });
});
