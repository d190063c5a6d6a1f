import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomFrom } from '#test/faults/random.js';
import { type DiskShim, diskShim } from '#test/support/event-stores/failing-disk.js';
import { runs, SEED } from '#test/support/test-runs.js';
import { prepareData } from './embedded-node.js';
import { killOften } from './kills.js';
import { failNthCall, nthCases } from './nth-call.js';
import { type LossOutcome, losePowerOften, record } from './power-loss.js';

/** A few rounds; `npm run test:faults -- disks`, `power` and `kills` run any number of them. */
let folder: string;
let shim: DiskShim | undefined;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'logbook-disks-'));
  shim = diskShim(folder);
  if (!shim) console.log('disks do not fail here: this needs Linux and a C compiler');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe(`a server on embedded stores, its next start, and everything that was answered (seed ${SEED})`, () => {
  it('withstand a failing call of the file system', async () => {
    if (!shim) return;
    const template = join(folder, 'template');
    await prepareData(template);
    const cases = await nthCases(shim, template);
    const random = randomFrom(SEED);
    for (let round = 1; round <= runs(20, 3); round++) {
      const one = random.pick(cases);
      const { violations } = await failNthCall(shim, template, one);
      expect([one, violations]).toEqual([one, []]);
    }
  });

  it('withstand a loss of power', async () => {
    if (!shim) return;
    const random = randomFrom(SEED);
    const outcomes: LossOutcome[] = [];
    await losePowerOften(shim, await record(shim, random, 3), random, runs(15, 3), (outcome) => outcomes.push(outcome) > 0);
    expect(outcomes.filter(({ violations }) => violations.length > 0)).toEqual([]);
  });

  it('withstand SIGKILL at any moment', async () => {
    expect((await killOften(randomFrom(SEED), runs(25, 3))).violations).toEqual([]);
  });
});
