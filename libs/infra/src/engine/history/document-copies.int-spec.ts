import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { EventStore } from '#domain/shared/event-store.js';
import { PROJECTOR_SEATS } from '#infra/engine/projection-runner/dependencies.js';
import { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import { Seats } from '#infra/platform/coordination/seats/seats.js';
import type { PastStore } from '#infra/stores/document-store/document-store.js';
import { openDocumentStore } from '#infra/stores/document-store/open.js';
import { OpeningEventStore } from '#infra/stores/log-identity/opening-event-store.js';
import type { Projection } from '#projections/shared/projection.js';
import { until } from '#test/support/eventually.js';
import { openRunnerLab, overEvents, overStore, type RunnerLab, type StoreOverrides } from '#test/support/projections/runner-lab.js';
import { type TallyEvent, tallyProjection } from '#test/support/projections/tally-projection.js';
import { DocumentCopies } from './document-copies.js';

const NAME = 'test.tally';
const counted = (name: string): TallyEvent => ({ type: 'Counted', data: { name, by: 1 } });
const TIMING = { lookMs: 5, openingMs: 0, retryMs: 5 };
/** More documents than one commit of a copy has. */
const MANY = Array.from({ length: 1_500 }, (_, index) => counted(`n${index % 700}`));

let lab: RunnerLab;
let past: PastStore;
let directory: string;
const ending: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  lab = await openRunnerLab('redis');
  await new OpeningEventStore(lab.events, async () => undefined).open();
  directory = mkdtempSync(join(tmpdir(), 'logbook-copies-'));
  past = await openDocumentStore({ path: directory, keepsPast: () => true });
  ending.push(() => past.close());
});
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
  await lab.dispose();
  rmSync(directory, { recursive: true, force: true });
});

const started = (models: ReadModels): ReadModels => {
  models.start();
  ending.push(() => models.stop());
  return models;
};

/**
 * A node that keeps the past and applies nothing to the shared documents. `looks`: how often it has looked for those that are served. `read`: number of
 * events that it has read for them.
 */
const historyNode = async (
  overrides: StoreOverrides = {},
  { own = tallyProjection(), shared = tallyProjection() }: Readonly<{ own?: Projection; shared?: Projection }> = {},
) => {
  let looks = 0;
  const opened = await lab.openStore();
  const store = overStore(opened, {
    served: (name) => {
      looks += 1;
      return opened.served(name);
    },
    ...overrides,
  });
  const keeper = started(new ReadModels({ ...lab.dependencies, store: past }, [own]));
  let read = 0;
  const events = overEvents(lab.events, {
    readAll: async (options) => {
      const batch = await lab.events.readAll(options);
      read += batch.events.length;
      return batch;
    },
  });
  const readModels = started(new ReadModels({ ...lab.dependencies, events, store, seats: null }, [shared]));
  const copies = new DocumentCopies({ past, shared: store, keeper, readModels, projections: [shared], timing: TIMING });
  copies.start();
  ending.push(() => copies.stop());
  return { keeper, readModels, looks: () => looks, read: () => read };
};

const projector = async (events: EventStore = lab.events, overrides: StoreOverrides = {}): Promise<ReadModels> => {
  const store = overStore(await lab.openStore(), overrides);
  const { log } = lab.dependencies;
  const timing = { beatMs: 30, silenceMs: 60_000, retryMs: 20 };
  const seats = new Seats({ store, name: PROJECTOR_SEATS, node: 'projector', log, now: Date.now, timing });
  ending.push(() => seats.close());
  return started(new ReadModels({ ...lab.dependencies, events, store, seats }, [tallyProjection()]));
};

const isServed = async (): Promise<boolean> => (await lab.store.served(NAME)) !== null;
const areCopied = async (position: bigint): Promise<boolean> => ((await lab.store.standing(NAME))?.checkpoint ?? 0n) >= position;

/** The documents of the shared store, all of them, as the log makes them. */
const expected = async (): Promise<Record<string, string>> => {
  const view = past.view(NAME);
  const read = async (collection: string) =>
    (await view.range(collection, {})).map(({ key, value }): [string, string] => [`${collection}/${key}`, value.toString()]);
  return Object.fromEntries([...(await read('totals')), ...(await read('history'))]);
};

describe('copies of documents that a shared store has lost', () => {
  it('are those of the log, without reading it, and the log goes on from them', async () => {
    const first = await lab.append(MANY);
    await lab.append([{ type: 'Dropped', data: { name: 'n3' } }]);
    const node = await historyNode();
    await until(() => areCopied(first));
    const copied = await lab.documents();
    expect(Object.keys(copied)).toHaveLength(699 + 1_500 - 3);
    expect(copied).toEqual(await expected());

    await lab.loseEverything();
    await until(async () => !node.readModels.readGate(NAME)?.isOpen || (await isServed()));
    await until(() => areCopied(first));
    expect(await lab.documents()).toEqual(copied);
    expect(node.read()).toBeLessThan(10); // openings of the log
    const models = await projector();
    const last = await lab.append([counted('n3'), counted('n4')]);
    await until(() => models.applied(NAME, last));
    expect((await lab.totals()).n3).toEqual({ sum: 1, events: 1 });
    await until(() => node.keeper.applied(NAME, last));
    expect(await lab.documents()).toEqual(await expected());
  });

  it('are awaited by the process that would begin at the start of the log', async () => {
    const position = await lab.append(MANY);
    let resume = (): void => undefined;
    const paused = new Promise<void>((resolve) => {
      resume = resolve;
    });
    let commits = 0;
    await historyNode({
      committing: async (commit, { projection }) => {
        if (projection === NAME && ++commits === 2) await paused;
        await commit();
      },
    });
    await until(() => commits >= 2);
    const calls = { served: 0, prepare: 0, fromTheStart: 0 };
    const events = overEvents(lab.events, {
      subscribeAll: (options) => {
        calls.fromTheStart += Number(options.after === 0n);
        return lab.events.subscribeAll(options);
      },
    });
    const models = await projector(events, {
      served: (name) => {
        calls.served += Number(name === NAME);
        return lab.store.served(name);
      },
      prepare: (name, version) => {
        calls.prepare += Number(name === NAME);
        return lab.store.prepare(name, version);
      },
    });
    await until(() => calls.served > 0);
    resume();
    await until(() => areCopied(position));
    await until(() => models.state(NAME) === 'live');
    expect(calls).toMatchObject({ prepare: 0, fromTheStart: 0 });
    expect(await lab.documents()).toEqual(await expected());
  });

  it('begin anew if the store is lost once more while they are made', async () => {
    const position = await lab.append(MANY);
    let commits = 0;
    await historyNode({
      committing: async (commit, { projection }) => {
        if (projection === NAME && ++commits === 3) await lab.loseEverything();
        await commit();
      },
    });
    await until(() => areCopied(position));
    expect(commits).toBeGreaterThan(6);
    expect(await lab.documents()).toEqual(await expected());
  });

  it('are compared before they are served', async () => {
    const position = await lab.append(MANY);
    let isLossy = true;
    let compared = 0;
    const store = await lab.openStore();
    await historyNode({
      documents: (namespace) => {
        compared += 1;
        return store.documents(namespace);
      },
      committing: async (commit, namespace, changes, ...rest) => {
        if (!isLossy || changes.length < 2) return commit();
        await store.commit(namespace, changes.slice(1), ...rest);
      },
    });
    await until(() => compared >= 2);
    expect(await isServed()).toBe(false);
    isLossy = false;
    await until(() => areCopied(position));
    expect(await lab.documents()).toEqual(await expected());
  });

  it.each([
    ['of another version', tallyProjection({ version: 2 }), counted('a')],
    ['with partitions set aside', tallyProjection(), { type: 'Strange' as 'Counted', data: { name: 'a', by: 1 } }],
  ])('are not made of documents %s', async (_case, shared, event) => {
    const position = await lab.append([event], 'test.tally-2');
    const { keeper, looks } = await historyNode({}, { shared });
    await until(() => (keeper.shown(NAME)?.position ?? 0n) >= position);
    const before = looks();
    await until(() => looks() > before + 5);
    expect(await isServed()).toBe(false);
  });
});
