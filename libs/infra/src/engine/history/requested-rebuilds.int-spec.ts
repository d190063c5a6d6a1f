import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SetAside } from '#infra/engine/projection-runner/set-aside/set-aside.js';
import { DelegatingReadStore } from '#infra/stores/read-store/delegating-read-store.js';
import { type ReadStore, ReadStoreUnavailable } from '#projections/shared/read-store.js';
import { until } from '#test/support/eventually.js';
import { openRunnerLab, type RunnerLab } from '#test/support/projections/runner-lab.js';
import { RequestedRebuilds } from './requested-rebuilds.js';

/** A store on a disk that is full for some writes. */
class FullStore extends DelegatingReadStore {
  /** Number of writes still refused. */
  left = 0;

  override async prepare(...call: Parameters<ReadStore['prepare']>): ReturnType<ReadStore['prepare']> {
    this.refuse();
    return super.prepare(...call);
  }

  override async commit(...call: Parameters<ReadStore['commit']>): Promise<void> {
    this.refuse();
    return super.commit(...call);
  }

  private refuse(): void {
    if (this.left <= 0) return;
    this.left -= 1;
    throw new ReadStoreUnavailable('the disk is full');
  }
}

let lab: RunnerLab;
let store: FullStore;
beforeEach(async () => {
  lab = await openRunnerLab('embedded');
  store = new FullStore(lab.store);
});
afterEach(() => lab.dispose());

/** The requests of one process, its rebuilds, and its lines of the log. */
const start = (onRebuild: () => void = () => undefined) => {
  const rebuilt: string[] = [];
  const errors: string[] = [];
  const readModels = {
    names: ['test.tally'],
    storedSetAside: async () => SetAside.NONE,
    rebuild: async (projection: string) => {
      rebuilt.push(projection);
      onRebuild();
      return {} as never;
    },
  };
  const log = { warn: () => undefined, error: (_facts: object, text: string) => void errors.push(text) };
  return { requests: new RequestedRebuilds({ store, readModels: () => readModels, log }), rebuilt, errors };
};

const request = (position: bigint, isEarlier: boolean) => ({ projection: 'test.tally', position, isEarlier, isResumption: false });

describe('a requested rebuild of the history', () => {
  it('waits until its store can be written, and is made once', async () => {
    const before = start(() => {
      store.left = 2;
    });
    store.left = 2;
    await before.requests.request(request(3n, false));
    await before.requests.request(request(5n, false));
    expect(before.rebuilt).toHaveLength(2);
    const after = start();
    await after.requests.request(request(3n, true));
    await after.requests.request(request(5n, true));
    expect([after.rebuilt, before.errors, after.errors]).toEqual([[], [], []]);
  });

  it('no longer waits when the process stops', async () => {
    const { requests, rebuilt, errors } = start();
    store.left = 100;
    const requested = requests.request(request(3n, false));
    await until(() => store.left < 99);
    await requests.stop();
    await requested;
    expect([rebuilt, errors]).toEqual([[], []]);
  });
});
