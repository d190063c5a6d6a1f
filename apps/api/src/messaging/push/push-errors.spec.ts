import { expect, it } from '@jest/globals';
import { backendError, notReady } from '#api/messaging/errors.js';
import { EventStoreUnavailable } from '#domain/shared/event-store.js';
import { unwanted } from '#test/support/messaging/delivery-samples.js';
import { pushSample } from '#test/support/messaging/push-sample.js';
import { LeasedMessages } from './leased-source.js';
import { PushRoom } from './push-room.js';

const notStored = () => ({ page: unwanted });
const target = { projectId: 'p', subscriptionId: 's', push: { ...pushSample, verified: true } };

it('What fails while messages are leased for push is shown as an error of the contract, and logged where it is neither one nor an outage', async () => {
  const failure = new Error('connect ECONNREFUSED 10.0.0.7:6379');
  const logged: object[] = [];
  const lease = (error: Error) => {
    const lookup = { byId: () => Promise.reject(error) };
    const logger = { warn: (fields: object) => logged.push(fields) };
    const [deliveries, pulls, accounts, messages] = [{ of: unwanted }, { pull: unwanted }, { projects: unwanted }, { stored: notStored }];
    return new LeasedMessages(lookup, deliveries, pulls, accounts, messages, new PushRoom(), () => 0, logger).lease(
      target,
      new AbortController().signal,
    );
  };
  await expect(lease(failure)).rejects.toEqual(backendError());
  expect(logged).toEqual([{ err: failure, subscriptionId: 's' }]);
  await expect(lease(new EventStoreUnavailable('no log'))).rejects.toEqual(backendError());
  await expect(lease(notReady())).rejects.toEqual(notReady());
  expect(logged).toHaveLength(1);
});
