import { expect, it } from '@jest/globals';
import { HeadPoller } from './head-poller.js';
import { GrowthSignal } from './subscription.js';

it('wakes subscriptions only after what this process has just appended is reported', async () => {
  const growth = new GrowthSignal();
  const order: string[] = [];
  // The log can be read as it is after a commit, and the commit is reported later in the same turn.
  const poller = new HeadPoller(() => {
    if (order.length === 0) setImmediate(() => order.push('reported'));
    return 7;
  }, growth);
  const unwatch = poller.watch(new AbortController().signal);
  await growth.wait();
  order.push(`woken at ${poller.seen}`);
  unwatch();
  expect(order).toEqual(['reported', 'woken at 7']);
});
