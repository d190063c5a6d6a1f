import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventStoreUnavailable } from '#domain/shared/event-store.js';
import { loadConfiguration } from '#infra/platform/config/configuration.js';
import { DirectoryInUse } from '#infra/platform/lmdb/environment-error.js';
import { createLogger } from '#infra/platform/logging/logger.js';
import { ReadStoreUnavailable } from '#projections/shared/read-store.js';
import { type EventStoreDbTestServer, startEventStoreDb } from '#test/support/eventstoredb/server.js';
import { StoreWait, startWhenThere } from './wait-for-stores.js';

class ImportUnfinished extends EventStoreUnavailable {}

describe('a start with stores that answer', () => {
  let events: EventStoreDbTestServer;
  beforeAll(async () => {
    events = await startEventStoreDb();
  });
  afterAll(() => events?.stop());

  /** Runs a start that fails with these errors, one after another, and then succeeds. Returns the number of attempts. */
  const startAfter = async (timeout: string, ...errors: readonly Error[]): Promise<number> => {
    const configuration = loadConfiguration({ EVENTSTORE_URL: events.connectionString, LOGBOOK_START_TIMEOUT: timeout });
    const wait = new StoreWait(configuration, createLogger('silent'), new AbortController().signal);
    const left = [...errors];
    return startWhenThere(wait, async () => {
      const error = left.shift();
      if (error) throw error;
      return errors.length - left.length + 1;
    });
  };

  it('begins again after an outage', async () => {
    const outage = new EventStoreUnavailable('gone for a moment');
    expect(await startAfter('10m', outage, outage)).toBe(3);
  });

  it('begins again while another process uses the data directory, which may be about to end', async () => {
    const inUse = new DirectoryInUse('data/log', 'is in use by process 12: stop that first');
    expect(await startAfter('10m', inUse, inUse)).toBe(3);
  });

  it.each([
    ['another process in the data directory when there is no time left', '0s', new DirectoryInUse('data/log', 'is in use')],
    ['an outage when there is no time left', '0s', new EventStoreUnavailable('gone')],
    ['what only looks like an outage', '10m', new ImportUnfinished('half an import')],
    ['an outage of a store that is embedded', '10m', new ReadStoreUnavailable('gone')],
    ['a mistake', '10m', new TypeError('undefined is no function')],
  ])('ends with %s', async (_what, timeout, error) => {
    await expect(startAfter(timeout, error)).rejects.toBe(error);
  });
});
