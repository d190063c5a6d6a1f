import { describe, expect, it } from '@jest/globals';
import { WrongExpectedRevision } from '#domain/shared/event-store.js';
import { Connection } from './connection.js';
import { Conflict } from './errors.js';
import { ExactAppends } from './exact-appends.js';
import { Interruptions } from './interruptions.js';
import { DEFAULT_LIMITS } from './limits.js';
import type { LogClient } from './log-client.js';
import { bytes } from './messages/requests.js';

const event = {
  id: '0b9b2a2e-54a7-4f6e-9d0c-0d8f3d1f5c11',
  type: 'Tested',
  data: bytes('{}'),
  metadata: bytes('{}'),
  contentType: 'application/json',
} as const;

describe('a refused append', () => {
  it('is refused only when what it was refused for can be read: a server knows of it some milliseconds earlier', async () => {
    let reads = 0;
    const rival = { id: 'a3c1f0de-0d5a-4a57-9a53-6a2ab1b0f9e4', revision: 0n, position: 7n };
    const readPlaces = async () => (++reads > 3 ? [rival] : []);
    const client = { append: () => Promise.reject(new Conflict(0n)) } as unknown as LogClient;
    const { signal } = new AbortController();
    const connection = new Connection(
      () => client,
      () => {},
    );
    const appends = new ExactAppends(connection, readPlaces, DEFAULT_LIMITS, signal, new Interruptions(signal));
    await expect(appends.append('test.raced-1', [event], 'no-stream')).rejects.toThrow(WrongExpectedRevision);
    expect(reads).toBe(5);
  });
});
