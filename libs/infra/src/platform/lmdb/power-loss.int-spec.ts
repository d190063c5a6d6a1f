import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { type Change, readJournal } from '#test/faults/disks/journal.js';
import { LossyDisk } from '#test/faults/disks/lossy-disk.js';
import { randomFrom } from '#test/faults/random.js';
import { textsAfter } from '#test/support/event-stores/churn.js';
import { temporaryDirectory } from '#test/support/event-stores/embedded-log.js';
import { startEmbeddedProcess } from '#test/support/event-stores/embedded-process.js';
import { diskShim } from '#test/support/event-stores/failing-disk.js';
import { reboot } from '#test/support/event-stores/power-loss.js';
import { openEnvironment } from './environment.js';

const directory = temporaryDirectory();
afterAll(() => directory.remove());
const shim = diskShim(directory.path);

const PRINTED = 30;
const LOSSES = 20;
const now = (): number => Number(process.hrtime.bigint()) / 1e6;

type Recording = Readonly<{ disk: LossyDisk; changes: readonly Change[]; printed: readonly Readonly<{ at: number; number: number }>[] }>;

/** Records the changes of a process that commits continuously and is killed, and when it had printed which commits. */
const record = async (): Promise<Recording> => {
  const [data, journal] = [join(directory.path, 'data'), join(directory.path, 'journal')];
  mkdirSync(data);
  const disk = new LossyDisk(data);
  const variables = Object.entries(shim?.recorded(data, journal) ?? {}).map(([name, value]) => `${name}=${value}`);
  const writer = startEmbeddedProcess('churn', [join(data, 'store')], variables.join(' '));
  const printed = [];
  for (let count = 1; count <= PRINTED; count += 1) {
    await writer.printed(count);
    printed.push({ at: now(), number: Number(writer.lines[count - 1]) });
  }
  writer.child.kill('SIGKILL');
  await writer.ended;
  return { disk, changes: readJournal(journal), printed };
};

/** Compares the whole content with the result of the commits up to the last one. @returns the number of the last one */
const lastOfWhole = async (path: string, reports: string[]): Promise<number> => {
  const report = (message: string): void => void reports.push(message);
  const environment = openEnvironment({ path, durability: 'replayable', maxDbs: 4, report });
  const documents = environment.root.openDB<string, string>('documents', { encoding: 'string' });
  const { last, ...found } = Object.fromEntries([...documents.getRange()].map(({ key, value }) => [key, value]));
  await environment.close();
  expect(found).toEqual(Object.fromEntries(textsAfter(Number(last))));
  return Number(last);
};

/** Needs Linux and a C compiler. */
(shim ? describe : describe.skip)('derived data of a process that loses power', () => {
  it('have every commit that it had made, whatever became of what was not flushed', async () => {
    const random = randomFrom(14);
    const { disk, changes, printed } = await record();
    const [begin = Number.NaN, end = Number.NaN] = [printed[0]?.at, printed.at(-1)?.at];
    const moments = Array.from({ length: LOSSES }, () => begin + random.fraction() * (end - begin)).sort((one, other) => one - other);
    let next = 0;
    for (const [round, moment] of moments.entries()) {
      for (; next < changes.length && (changes[next] as Change).milliseconds <= moment; next += 1) disk.apply(changes[next] as Change);
      const left = join(directory.path, `left-${round}`);
      disk.writeAfterLoss(left, random.fork(), random.pick([0, 0, 0.5, 0.9]));
      reboot(join(left, 'store'));
      const reports: string[] = [];
      const known = printed.findLast(({ at }) => at <= moment)?.number;
      expect(await lastOfWhole(join(left, 'store'), reports)).toBeGreaterThanOrEqual(known ?? Number.NaN);
      expect(reports).toEqual([]);
      expect(existsSync(join(left, 'store', 'lock'))).toBe(false);
    }
  });
});
