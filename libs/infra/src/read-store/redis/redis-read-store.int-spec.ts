import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createClient } from 'redis';
import type { ReadStore } from '#projections/shared/read-store.js';
import { ReadStoreUnavailable } from '#projections/shared/read-store.js';
import {
  COLLECTION,
  listed,
  PROJECTION,
  put,
  type ReadStoreHarness,
  serveDocuments,
  textOf,
} from '../../../../../test/contracts/read-store/fixture.js';
import { readStoreContract } from '../../../../../test/contracts/read-store.contract.js';
import { openRedisLink, startRedis, type TestRedis } from '../../../../../test/support/redis.js';
import { openRedisReadStore } from './redis-read-store.js';

let redis: TestRedis;
let stores = 0;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.stop());

const openHarness = async (): Promise<ReadStoreHarness> => {
  const keyPrefix = `${redis.keyPrefix}-${++stores}`;
  const opened: ReadStore[] = [];
  const openOne = async (): Promise<ReadStore> => {
    const store = await openRedisReadStore({ url: redis.url, keyPrefix });
    opened.push(store);
    return store;
  };
  const store = await openOne();
  return {
    store,
    reopen: async () => {
      await store.close();
      return openOne();
    },
    secondProcess: openOne,
    dispose: async () => {
      await Promise.all(opened.map((one) => one.close()));
    },
  };
};

readStoreContract('Redis', openHarness);
