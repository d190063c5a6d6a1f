import { describe, expect, it } from '@jest/globals';
import { PartitionSetAside, ReadStoreUnavailable } from '#projections/shared/read-store.js';
import { eventually } from '#test/support/eventually.js';
import { subscriptionSample } from '#test/support/messaging/delivery-samples.js';
import { MessageArrivals } from './message-arrivals.js';

const LONG = 2 ** 30;

/** Two read models that commit one after the other: counters of a topic, and the topic itself. */
const readModels = () => {
  const listeners = { counters: () => {}, resources: () => {} };
  const listening = (readModel: keyof typeof listeners) => (listener: () => void) => {
    listeners[readModel] = listener;
    return () => {};
  };
  /** `looks`: how often the topic was looked for. */
  const shown = { counter: 0 as number | undefined, topic: true, looks: 0 };
  const counters = {
    onCommit: listening('counters'),
    nextOffsets: async (topics: readonly string[]) => topics.map(() => shown.counter),
  };
  const resources = {
    onCommit: listening('resources'),
    areThere: async (all: readonly object[]) => all.map(() => true),
    topicById: async () => {
      shown.looks += 1;
      return shown.topic ? {} : undefined;
    },
  };
  return { shown, commit: listeners, arrivals: new MessageArrivals(counters as never, resources as never) };
};

describe('a wait for messages of a topic that is deleted', () => {
  it('ends when the topic is not shown any more, and not with its counters, after which its waiters would still find it', async () => {
    const { shown, commit, arrivals } = readModels();
    let ended = false;
    const awaited = { topicId: 't', subscription: subscriptionSample().ref, after: 0 };
    const waiting = arrivals.wait(awaited, LONG, new AbortController().signal).then(() => {
      ended = true;
    });
    /** Makes a change, and awaits a look for the topic that begins after it. */
    const looksAfter = async (change: () => void): Promise<void> => {
      const before = shown.looks;
      change();
      await eventually(async () => shown.looks).until((count) => count > before);
    };
    shown.counter = undefined;
    await looksAfter(commit.counters);
    await looksAfter(commit.resources); // of something else
    expect(ended).toBe(false);
    shown.topic = false;
    commit.resources();
    await waiting;
    expect(ended).toBe(true);
  });
});

describe('a wait for messages that cannot be looked up', () => {
  /** Waits for one message in each of these topics; `fail` fails lookups. Resolves to the topics whose wait has ended. */
  const waitingFor = (topicIds: readonly string[], fail: (wanted: readonly string[]) => void) => {
    const ends = new Map(topicIds.map((topicId) => [topicId, 0]));
    const listeners = new Set<() => void>();
    const nextOffsets = async (wanted: readonly string[]) => {
      fail(wanted);
      return wanted.map((topicId) => ends.get(topicId));
    };
    const counters = { onCommit: (listener: () => void) => listeners.add(listener), nextOffsets, isWithheld: false };
    const arrivals = new MessageArrivals(counters as never, { onCommit: () => () => {} } as never);
    const [ended, stop]: [string[], AbortController] = [[], new AbortController()];
    for (const topicId of topicIds)
      void arrivals.wait({ topicId, subscription: subscriptionSample().ref, after: 0 }, LONG, stop.signal).then(() => ended.push(topicId));
    const commit = (): void => {
      for (const listener of listeners) listener();
    };
    const publish = (topicId: string): void => {
      ends.set(topicId, 1);
      commit();
    };
    return { counters, ends, ended, commit, publish, stop };
  };

  it('goes on after failures of the store, and ends with the message that came meanwhile', async () => {
    let failures = 2;
    const { ended, publish, stop } = waitingFor(['one', 'other'], () => {
      if (failures-- > 0) throw new ReadStoreUnavailable('no connection');
    });
    publish('one');
    expect(await eventually(() => ended).until(({ length }) => length > 0)).toEqual(['one']);
    expect(failures).toBeLessThanOrEqual(0);
    stop.abort();
  });

  it('ends with a message that is there when the counters are shown again, although no commit says so', async () => {
    let looks = 0;
    const { counters, ends, ended, commit, stop } = waitingFor(['one'], () => {
      looks += 1;
    });
    counters.isWithheld = true;
    const before = looks;
    commit();
    await eventually(() => looks).until((count) => count > before);
    ends.set('one', 1);
    counters.isWithheld = false;
    expect(await eventually(() => ended).until(({ length }) => length > 0)).toEqual(['one']);
    stop.abort();
  });

  it('ends with its project, once that is set aside, and does not keep back the waits of others', async () => {
    let isAside = false;
    const topics = Array.from({ length: 300 }, (_, index) => `t${index}`);
    const { ended, publish, stop } = waitingFor(topics, (wanted) => {
      if (isAside && wanted.includes('t7')) throw new PartitionSetAside('messaging.counters', 'p');
    });
    isAside = true;
    publish('t8');
    publish('t299');
    await eventually(() => ended).until(({ length }) => length > 2);
    expect(ended.sort()).toEqual(['t299', 't7', 't8']);
    stop.abort();
  });
});
