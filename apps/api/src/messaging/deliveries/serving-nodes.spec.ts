import { expect, it } from '@jest/globals';
import { notReady } from '#api/messaging/errors.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { ServingNodes } from './serving-nodes.js';

const nodesWith = (redisUrl: string | undefined): ServingNodes =>
  new ServingNodes({} as ReadStore, () => 0, {} as Logger, { redisUrl, host: '127.0.0.1' }, null);

it('A node that does not know yet who serves a subscription does not serve it', async () => {
  await expect(nodesWith('redis://r').take('s')).rejects.toEqual(notReady());
  expect(await nodesWith(undefined).take('s')).toBeUndefined();
});
