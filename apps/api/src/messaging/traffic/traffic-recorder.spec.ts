import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { TrafficRecorder } from './traffic-recorder.js';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

/** A row of the read model: each topic has had a message since its last record. */
const busy = (topicId: string) => ({
  topicId,
  projectDeleted: false,
  counters: { projectId: 'p', record: 0, messages: 1, reported: 0, closed: {}, days: {}, deleted: false },
});

describe('Recording the traffic of topics', () => {
  let topics: readonly string[];
  let made: { topicId: string; at: number }[];
  let recorder: TrafficRecorder;
  let look: () => void;

  const started = (): TrafficRecorder => {
    const one = new TrafficRecorder(
      { execute: async ({ data }: { data: { topicId: string } }) => made.push({ topicId: data.topicId, at: Date.now() }) } as never,
      {
        topics: async function* () {
          yield topics.map(busy);
        },
        requireKeptUp: async () => {},
      } as never,
      { topicById: async () => look() } as never,
      Date.now,
      { warn: () => {} },
      { messagingRetentionSeconds: 7 * 86_400 },
      true,
    );
    one.onApplicationBootstrap();
    return one;
  };

  beforeEach(() => {
    jest.useFakeTimers({ now: Date.UTC(2026, 2, 1) });
    topics = Array.from({ length: 400 }, (_, index) => `topic ${index}`);
    made = [];
    look = () => undefined;
    recorder = started();
  });
  afterEach(async () => {
    await recorder.onModuleDestroy();
    jest.useRealTimers();
  });

  const timesOf = (topicId: string): readonly number[] => made.filter((one) => one.topicId === topicId).map(({ at }) => at);

  it('records each topic once an hour, and never many at once', async () => {
    await jest.advanceTimersByTimeAsync(4 * HOUR);
    const [first = ''] = topics;
    const times = timesOf(first);
    expect(times.length).toBeGreaterThanOrEqual(3);
    expect(times.slice(1).map((at, index) => Math.round((at - (times[index] ?? 0)) / HOUR))).toEqual(times.slice(1).map(() => 1));
    expect(new Set(made.map(({ topicId }) => topicId)).size).toBe(topics.length);
    const inPass = new Map<number, number>();
    for (const { at } of made) inPass.set(at, (inPass.get(at) ?? 0) + 1);
    expect(Math.max(...inPass.values())).toBeLessThan(topics.length / 10);
  });

  it('lets other work run between topics', async () => {
    await recorder.onModuleDestroy();
    jest.useFakeTimers({ doNotFake: ['performance', 'setImmediate'] });
    topics = topics.slice(0, 10);
    let turn = 0;
    const turns: number[] = [];
    look = () => {
      turns.push(turn);
      for (const end = performance.now() + 11; performance.now() < end; );
    };
    recorder = started();
    jest.advanceTimersByTime(150 * SECOND);
    for (; turns.length < topics.length; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(new Set(turns).size).toBeGreaterThan(5);
  });

  it('goes on in the same interval after a restart', async () => {
    for (let restarts = 0; restarts < 20; restarts += 1) {
      await jest.advanceTimersByTimeAsync(200 * SECOND); // several passes, and much less than an interval
      await recorder.onModuleDestroy();
      recorder = started();
    }
    expect(new Set(made.map(({ topicId }) => topicId)).size).toBe(topics.length);
  });
});
