import { expect, it, jest } from '@jest/globals';
import type { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { type ReadStore, ReadStoreUnavailable } from '#projections/shared/read-store.js';
import { until } from '#test/support/eventually.js';
import { DamageWatch } from './damage-watch.js';

it('damaged documents that are no read model wait for the store, and the log says so', async () => {
  const full = new ReadStoreUnavailable('the disk is full');
  const logger = { warn: jest.fn(), error: jest.fn() };
  const watch = new DamageWatch(logger as unknown as Logger, '/nowhere');
  const store = { served: () => Promise.reject(full) } as Partial<ReadStore> as ReadStore;
  watch.watchOver({ readModels: { names: [] as readonly string[] } as ReadModels, store });
  watch.ofReadModels({ projection: 'messaging.push', error: new Error('a changed letter') });
  await until(() => logger.warn.mock.calls.length > 0);
  watch.close();
  expect(logger.warn.mock.calls).toEqual([[{ projection: 'messaging.push', err: full }, expect.stringContaining('cannot be built anew')]]);
  expect(logger.error).toHaveBeenCalledTimes(1);
});
