import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ReadModelsUnavailable } from '#projections/shared/read-store.js';
import { LONGEST_MS } from '#test/support/eventually.js';
import { openRunnerLab, overStore, type RunnerLab } from '#test/support/projections/runner-lab.js';
import { type TallyEvent, tallyProjection } from '#test/support/projections/tally-projection.js';
import { Completeness } from './completeness.js';
import { ReadModels } from './read-models.js';

const projection = tallyProjection();
const TALLY = projection.name;
const counted: TallyEvent = { type: 'Counted', data: { name: 'a', by: 1 } };

describe.each(['embedded', 'redis'] as const)('the completeness of read models on %s', (kind) => {
  let lab: RunnerLab;
  let readModels: ReadModels;
  const completeness = (store = lab.store, patienceMs = LONGEST_MS) =>
    new Completeness({ ...lab.dependencies, store }, [projection], patienceMs);
  beforeEach(async () => {
    lab = await openRunnerLab(kind);
    readModels = new ReadModels(lab.dependencies, [projection]);
  });
  afterEach(async () => {
    await readModels.stop();
    await lab.dispose();
  });

  it('is not given before anything is served', async () => {
    await expect(completeness(lab.store, 20).require(TALLY)).rejects.toBeInstanceOf(ReadModelsUnavailable);
  });

  it('is given when the whole log is applied, even if the newest events are of other categories', async () => {
    readModels.start();
    const position = await lab.append([counted]);
    await readModels.applied('test.tally', position, LONGEST_MS);
    await lab.append([counted], 'test.other-1');
    await expect(completeness().require(TALLY)).resolves.toBeUndefined();
  });

  it('is not given while the documents show less than the log', async () => {
    const namespace = await lab.store.prepare(TALLY, 1);
    await lab.store.serve(namespace);
    await lab.append([counted]);
    await expect(completeness(lab.store, 20).require(TALLY)).rejects.toBeInstanceOf(ReadModelsUnavailable);
  });

  it('is awaited while the log is being applied, by many callers at a time', async () => {
    await lab.append([counted]);
    const patient = completeness();
    const waiting = Promise.all(Array.from({ length: 50 }, () => patient.require(TALLY)));
    readModels.start();
    await expect(waiting).resolves.toHaveLength(50);
  });

  it('is denied to those who ask after the documents were lost, even while an earlier check is in progress', async () => {
    readModels.start();
    await readModels.applied('test.tally', await lab.append([counted]), LONGEST_MS);
    let looks = 0;
    const store = overStore(lab.store, { served: async (name) => (++looks === 1 ? lab.store.served(name) : null) });
    const shared = completeness(store, 20);
    const first = shared.require(TALLY);
    const others = Promise.allSettled([shared.require(TALLY), shared.require(TALLY)]);
    await expect(first).resolves.toBeUndefined();
    expect((await others).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});
