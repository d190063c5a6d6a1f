import { afterEach, expect, it, jest } from '@jest/globals';
import { announceStores } from './announced-stores.js';

afterEach(() => {
  jest.restoreAllMocks();
});

/** Announcement of stores with these addresses. */
const announced = (
  addresses: Readonly<{ eventStoreUrl?: string; redisUrl?: string }>,
  which: Parameters<typeof announceStores>[1],
): string => {
  const write = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  announceStores({ dataDirectory: '/data', redisPrefix: 'logbook', eventStoreUrl: undefined, redisUrl: undefined, ...addresses }, which);
  const said = write.mock.calls.map(([text]) => String(text)).join('');
  write.mockRestore();
  return said;
};

it.each([
  [
    { redisUrl: 'rediss://user:secret@cache:6380/2' },
    'log and documents',
    'log in /data/log, documents on Redis at cache:6380, prefix logbook (REDIS_URL)',
  ],
  [
    { eventStoreUrl: 'esdb://admin:secret@one:2113,two:2114?tls=false' },
    'log and documents',
    'log on EventStoreDB at one:2113, two:2114 (EVENTSTORE_URL), documents in /data/documents',
  ],
  [
    { redisUrl: 'redis+sentinel://:secret@one,two:26380/main?sentinel-password=secret' },
    'log and documents',
    'log in /data/log, documents on Redis at one:26379, two:26380, prefix logbook (REDIS_URL)',
  ],
  [
    { redisUrl: 'redis://:se?cret@cache', eventStoreUrl: 'esdb://secret@@one:x' },
    'log and documents',
    'log on EventStoreDB at an address that cannot be read (EVENTSTORE_URL), documents on Redis at an address that cannot be read, prefix logbook (REDIS_URL)',
  ],
] as const)('Stores %j are said in one line without credentials', (addresses, which, said) => {
  expect(announced(addresses, which)).toBe(`stores: ${said}\n`);
});

it('Stores in the data directory are not said', () => {
  expect([announced({}, 'log and documents'), announced({ redisUrl: 'redis://cache' }, 'log')]).toEqual(['', '']);
});
