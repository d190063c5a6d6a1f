import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomFrom } from '#test/faults/random.js';
import { type DiskShim, diskShim } from '#test/support/event-stores/failing-disk.js';
import { runs, SEED } from '#test/support/test-runs.js';
import { prepareData } from './embedded-node.js';
import { killOften } from './kills.js';
import { failNthCall, type NthCase, nthCases } from './nth-call.js';
import { type LossOutcome, losePowerOften, record } from './power-loss.js';

/** A few rounds; `npm run test:faults -- disks`, `power` and `kills` run any number of them. */
let folder: string;
let shim: DiskShim | undefined;
let template: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'logbook-disks-'));
  shim = diskShim(folder);
  template = join(folder, 'template');
  if (shim) await prepareData(template);
  else console.log('disks do not fail here: this needs Linux and a C compiler');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** On a machine that is busy with other things. */
const LONGEST_MS = 600_000;

/** Faults that were found. `times`: from then on. */
const FOUND: readonly (readonly [what: string, NthCase])[] = [
  ['a short write of a marker', { kind: 'write', n: 1, error: 'SHORT', times: 1, part: '/log/store.json', isNew: true }],
  ['a log that cannot be opened', { kind: 'open', n: 2, error: 'EIO', times: 1_000_000, part: '/log/data.mdb', isNew: false }],
  ['a lock file that cannot be opened', { kind: 'open', n: 1, error: 'EIO', times: 1_000_000, part: '/log/lock.mdb', isNew: false }],
  ['a first commit that cannot be flushed', { kind: 'flush', n: 1, error: 'ENOSPC', times: 1, part: '/log/data.mdb', isNew: true }],
  ['a new log without room', { kind: 'write', n: 1, error: 'ENOSPC', times: 1_000_000, part: '/log/data.mdb', isNew: true }],
  [
    'a log that cannot be written while it is opened',
    { kind: 'write', n: 10, error: 'EIO', times: 1_000_000, part: '/log/data.mdb', isNew: true },
  ],
];

/** Two beside each other. */
const inPairs = async <Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> => {
  const rest = items.values();
  const worker = async (): Promise<void> => {
    for (const item of rest) await work(item);
  };
  await Promise.all([worker(), worker()]);
};

describe(`a server on embedded stores, its next start, and everything that was answered (seed ${SEED})`, () => {
  it(
    'withstand what was found',
    async () => {
      await inPairs(FOUND, async ([what, fault]) => {
        if (!shim) return;
        const { wasHit, isEndedByLmdb, violations, lines } = await failNthCall(shim, template, fault);
        const hasReason = !isEndedByLmdb || lines.some((line) => line.includes('"level":"error"'));
        expect([what, wasHit, hasReason, violations]).toEqual([what, true, true, []]);
      });
    },
    LONGEST_MS,
  );

  it(
    'withstand a failing call of the file system',
    async () => {
      if (!shim) return;
      const disk = shim;
      const cases = await nthCases(disk, template);
      const random = randomFrom(SEED);
      await inPairs(
        Array.from({ length: runs(6, 3) }, () => random.pick(cases)),
        async (one) => {
          const { violations } = await failNthCall(disk, template, one);
          expect([one, violations]).toEqual([one, []]);
        },
      );
    },
    LONGEST_MS,
  );

  it(
    'withstand a loss of power',
    async () => {
      if (!shim) return;
      const random = randomFrom(SEED);
      const outcomes: LossOutcome[] = [];
      await losePowerOften(shim, await record(shim, random, 3), random, runs(4, 3), (outcome) => outcomes.push(outcome) > 0);
      expect(outcomes.filter(({ violations }) => violations.length > 0)).toEqual([]);
    },
    LONGEST_MS,
  );

  it(
    'withstand SIGKILL at any moment',
    async () => {
      expect((await killOften(randomFrom(SEED), runs(6, 3))).violations).toEqual([]);
    },
    LONGEST_MS,
  );
});
