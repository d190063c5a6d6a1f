import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { streamOfProjection } from '#domain/operations/projection-operations.js';
import type { RecordedEvent } from '#domain/shared/events.js';
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
const start = (onRebuild: () => void = () => undefined, { events } = lab) => {
  const rebuilt: string[] = [];
  const errors: string[] = [];
  const readModels = {
    names: [projection],
    storedSetAside: async () => SetAside.NONE,
    rebuild: async (name: string) => {
      rebuilt.push(name);
      onRebuild();
      return {} as never;
    },
  };
  const log = { warn: () => undefined, error: (_facts: object, text: string) => void errors.push(text) };
  return { requests: new RequestedRebuilds({ events, store, readModels: () => readModels, log }), rebuilt, errors };
};

const projection = 'test.tally';

/** Records a request of an operator in a log. */
const recorded = async ({ append, events } = lab): Promise<RecordedEvent> => {
  const stream = streamOfProjection(projection);
  await append([{ type: 'Noted', data: { text: 'requested' } }], stream);
  const [event] = await events.readStream(stream, { direction: 'backwards', limit: 1 });
  if (!event) throw new Error('the request was not recorded');
  return event;
};

const request = ({ stream, revision, id, position }: RecordedEvent, isEarlier: boolean) => ({
  ...{ projection, stream, revision, id, position, isEarlier },
  isResumption: false,
});

describe('a requested rebuild of the history', () => {
  it('waits until its store can be written, and is made once', async () => {
    const before = start(() => {
      store.left = 2;
    });
    store.left = 2;
    const asked = [await recorded(), await recorded()];
    for (const event of asked) await before.requests.request(request(event, false));
    expect(before.rebuilt).toHaveLength(2);
    const after = start();
    for (const event of asked) await after.requests.request(request(event, true));
    expect([after.rebuilt, before.errors, after.errors]).toEqual([[], [], []]);
  });

  it('is made in a log that has replaced the one of the last request, and has reached its position', async () => {
    const before = start();
    for (const event of [await recorded(), await recorded()]) await before.requests.request(request(event, false));
    const other = await openRunnerLab('embedded');
    const after = start(undefined, other);
    await after.requests.request(request(await recorded(other), true));
    expect(after.rebuilt).toEqual([]);
    await after.requests.request(request(await recorded(other), false));
    expect([after.rebuilt, after.errors]).toEqual([[projection], []]);
    await other.dispose();
  });

  it('no longer waits when the process stops', async () => {
    const { requests, rebuilt, errors } = start();
    store.left = 100;
    const requested = requests.request(request(await recorded(), false));
    await until(() => store.left < 99);
    await requests.stop();
    await requested;
    expect([rebuilt, errors]).toEqual([[], []]);
  });
});
