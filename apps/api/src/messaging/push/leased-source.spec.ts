import { expect, it } from '@jest/globals';
import { subscriptionSample, unwanted } from '#test/support/messaging/delivery-samples.js';
import { pushSample } from '#test/support/messaging/push-sample.js';
import { turns } from '#test/support/turns.js';
import { LeasedMessages } from './leased-source.js';
import { PushRoom } from './push-room.js';

it('Of the deliveries of an idle subscription one waits for messages; the next one waits after it, and none after the end', async () => {
  const target = { projectId: 'p', subscriptionId: 's', push: { ...pushSample, verified: true } };
  const waiting: (() => void)[] = [];
  const pulls = {
    pull: () =>
      new Promise<null>((resolve) => {
        waiting.push(() => resolve(null));
      }),
  };
  const leased = new LeasedMessages(
    { byId: async () => subscriptionSample({}, { push: target.push }) },
    { of: async () => ({}) as never },
    pulls,
    { projects: async () => [{ name: 'p' } as never] },
    { stored: () => ({ page: unwanted }) },
    new PushRoom(),
    () => 0,
    { warn: unwanted },
  );
  const over = new AbortController();
  const leases = Array.from({ length: 8 }, () => leased.lease(target, over.signal));
  await turns();
  expect(waiting).toHaveLength(1);
  waiting[0]?.();
  expect(await leases[0]).toBeNull();
  await turns();
  expect(waiting).toHaveLength(2);
  over.abort();
  waiting[1]?.();
  const outcomes = await Promise.allSettled(leases);
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(6);
  expect(waiting).toHaveLength(2);
});
