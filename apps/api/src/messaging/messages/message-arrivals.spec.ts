import { describe, expect, it } from '@jest/globals';
import { eventually } from '#test/support/eventually.js';
import { MessageArrivals } from './message-arrivals.js';

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
    const awaited = { topicId: 't', subscription: { projectId: 'p', subscriptionId: 's' }, after: 0 };
    const waiting = arrivals.wait(awaited, 2 ** 30, new AbortController().signal).then(() => {
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
