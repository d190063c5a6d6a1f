import { afterEach, describe, expect, it } from '@jest/globals';
import type { CommandBus } from '@nestjs/cqrs';
import { AcknowledgeMessages } from '#api/messaging/cursors/commands.js';
import { PatientArrivals } from '#api/messaging/messages/message-arrivals.js';
import type { SubscriptionRef } from '#domain/messaging/cursors/cursor.js';
import { CursorFeed } from '#infra/edges/push/cursor-feed.js';
import type { PushTarget } from '#infra/edges/push/worker.js';
import { until } from '#test/support/eventually.js';
import { messageSample, subscriptionSample } from '#test/support/messaging/delivery-samples.js';
import { pushSample } from '#test/support/messaging/push-sample.js';
import { turns } from '#test/support/turns.js';
import { PushRoom } from './push-room.js';
import { PushedSubscriptions } from './push-source.js';

/** Subscriptions whose documents are read in one call (message-arrivals.ts). */
const IN_GROUP = 256;

let over = new AbortController();
afterEach(() => {
  over.abort();
  over = new AbortController();
});

/** Subscriptions `s0`, `s1`, …, each to a topic of its own with one message, which is acknowledged; and their workers, once these are idle. */
const idle = async (count: number) => {
  const ids = Array.from({ length: count }, (_, index) => `s${index}`);
  /** By subscription: its topic, and its cursor there. By topic: its next offset. */
  const topicOf = new Map(ids.map((id) => [id, `topic of ${id}`]));
  const cursors = new Map(ids.map((id) => [id, 1]));
  const ends = new Map([...topicOf.values()].map((topicId) => [topicId, 1]));
  const commit = { counters: () => {}, resources: () => {} };
  /** Reads by workers, by subscription, and numbers of calls for many documents. */
  const reads: string[] = [];
  const calls = { topics: 0, cursors: 0 };
  let between = (): void => {};
  const offsets = {
    onCommit: (listener: () => void) => Object.assign(commit, { counters: listener }),
    place: async ({ subscriptionId, topicId }: SubscriptionRef) => {
      const seen = { next: ends.get(topicId ?? '') ?? 0, offset: cursors.get(subscriptionId) ?? 0 };
      if (seen.next <= seen.offset) {
        between();
        between = () => {};
      }
      return seen;
    },
    nextOffsets: async (topicIds: readonly string[]) => {
      calls.topics += 1;
      return topicIds.map((topicId) => ends.get(topicId));
    },
    cursors: async (subscriptions: readonly SubscriptionRef[]) => {
      calls.cursors += 1;
      return subscriptions.map(({ subscriptionId }) => ({ offset: cursors.get(subscriptionId) }));
    },
  };
  const resources = {
    onCommit: (listener: () => void) => Object.assign(commit, { resources: listener }),
    areThere: async (all: readonly object[]) => all.map(() => true),
    topicById: async (_projectId: string, topicId: string) => ([...topicOf.values()].includes(topicId) ? {} : undefined),
  };
  const push = { ...pushSample, verified: true };
  const lookup = {
    byId: async (_projectId: string, subscriptionId: string) => {
      reads.push(subscriptionId);
      return subscriptionSample({ subscriptionId, topicId: topicOf.get(subscriptionId) ?? null }, { push });
    },
  };
  const bus = {
    execute: async (command: Parameters<CommandBus['execute']>[0]) => {
      const { subscription, highest } = (command as unknown as { data: { subscription: SubscriptionRef; highest: number } }).data;
      const { subscriptionId } = subscription;
      if (!(command instanceof AcknowledgeMessages)) return { messages: [messageSample(cursors.get(subscriptionId) ?? 0)] };
      cursors.set(subscriptionId, highest + 1);
      return commit.counters();
    },
  };
  const arrivals = new PatientArrivals(offsets as never, resources as never);
  const { signal } = over;
  const [accounts, room] = [{ project: async () => ({ name: 'p' }) }, new PushRoom()];
  const parts = [bus, lookup, resources, accounts, offsets, { stored: () => ({}) }, arrivals, room, Date.now, console] as unknown[];
  const source = new PushedSubscriptions(...(parts as ConstructorParameters<typeof PushedSubscriptions>));
  const delivered: string[] = [];
  let looks = 0;
  const work = async (target: PushTarget): Promise<void> => {
    const feed = new CursorFeed(target, source, Date.now);
    while (!signal.aborted) {
      const batch = await feed.next(signal);
      await turns(1);
      if (!batch) looks += 1;
      else delivered.push(`${target.subscriptionId}: ${batch.messages[0]?.messageId}`);
      await batch?.acknowledge();
      batch?.release();
    }
  };
  for (const subscriptionId of ids) void work({ projectId: 'p', subscriptionId, push }).catch(() => {});
  await until(() => looks === count && calls.cursors > 0);
  reads.splice(0);
  /** Makes a change after the next look that finds nothing, before its worker waits. */
  const afterNextLook = (change: () => void): void => {
    between = change;
  };
  return { topicOf, cursors, ends, commit, reads, calls, delivered, afterNextLook };
};

describe('an idle push worker', () => {
  it.each([10, 3 * IN_GROUP])(
    'reads nothing when messages are published to other topics: %d of them are looked up together',
    async (count) => {
      const { commit, reads, calls, delivered } = await idle(count);
      const groups = Math.ceil(count / IN_GROUP);
      const commits = 10;
      const before = { ...calls };
      for (let done = 1; done <= commits; done++) {
        const { topics } = calls;
        commit.counters();
        await until(() => calls.topics >= topics + groups);
      }
      await until(() => calls.cursors > before.cursors);
      expect([reads, delivered]).toEqual([[], []]);
      // One lookup may still be under way for what came before the first commit.
      expect(calls.topics - before.topics).toBeLessThanOrEqual((commits + 1) * groups);
      expect(calls.cursors - before.cursors).toBeLessThanOrEqual((commits + 1) * groups);
    },
  );

  it('delivers a message of its topic, and no other worker looks for one', async () => {
    const { ends, commit, reads, delivered } = await idle(3);
    ends.set('topic of s1', 2);
    commit.counters();
    await until(() => delivered.length > 0);
    expect(delivered).toEqual(['s1: 1']);
    expect(new Set(reads)).toEqual(new Set(['s1']));
  });

  it('delivers a message that was published after it had looked and before it waits', async () => {
    const { ends, commit, delivered, afterNextLook, reads } = await idle(3);
    afterNextLook(() => {
      ends.set('topic of s1', 3);
      commit.counters();
    });
    ends.set('topic of s1', 2);
    commit.counters();
    await until(() => delivered.length > 1);
    expect(delivered).toEqual(['s1: 1', 's1: 2']);
    expect(new Set(reads)).toEqual(new Set(['s1']));
  });

  it('delivers again when its cursor was moved back, by whichever node', async () => {
    const { cursors, commit, reads, delivered } = await idle(3);
    cursors.set('s2', 0);
    commit.counters();
    await until(() => delivered.length > 0);
    expect(delivered).toEqual(['s2: 0']);
    expect(new Set(reads)).toEqual(new Set(['s2']));
  });

  it('goes on with the topic that was created in place of its own', async () => {
    const { topicOf, cursors, ends, commit, reads, delivered } = await idle(3);
    ends.delete('topic of s0');
    commit.counters(); // the resources still show it
    await turns();
    topicOf.set('s0', 'new topic of s0');
    cursors.set('s0', 0);
    ends.set('new topic of s0', 1);
    commit.resources();
    await until(() => delivered.length > 0);
    expect(delivered).toEqual(['s0: 0']);
    expect(new Set(reads)).toEqual(new Set(['s0']));
  });
});
