import { describe, expect, it } from '@jest/globals';
import type { RecordedEvent } from '#domain/shared/events.js';
import { type VersionPage, versionsPage } from './versions.js';

const COUNT = 5;

const eventOf = (index: number): RecordedEvent => ({
  id: `e${index}`,
  stream: 'ops.keys-global',
  revision: BigInt(index),
  position: BigInt(index + 1),
  recordedAt: 0,
  type: 'AccessKeyIssued',
  data: { keyId: 'k', service: 'ops', roles: ['auditor'], name: 'yearly' },
  metadata: {
    actor: { kind: 'system', id: 'start' },
    service: 'ops',
    requestId: 'r',
    correlationId: 'r',
    causationId: 'r',
    time: '2026-03-01T12:00:00.000Z',
    schemaVersion: 1,
  },
});

/** Keys need no history: their versions are read from their events. */
const parts = {
  index: { event: () => ({ logTime: 0 }), momentAfter: (index: number) => ({ position: BigInt(index + 1) }), keyName: () => null },
  history: { event: async (index: number) => eventOf(index) },
  past: {},
  kind: { read: { url: () => '' } },
  reference: { service: 'ops', kind: 'key', id: 'k' },
  shown: { personal: false },
} as unknown as Parameters<typeof versionsPage>[0];
const places = Array.from({ length: COUNT }, (_, index) => ({ index, ends: false }));

const versionsIn = async (page: VersionPage, characters?: number) => {
  const { versions, next } = await versionsPage(parts, places, page, characters);
  return { versions: versions.map((version) => (JSON.parse(version) as { version: number }).version), next };
};

describe('pages of versions', () => {
  it('have as many as are asked for', async () => {
    expect(await versionsIn({ order: 'asc', after: 1, limit: 2 })).toEqual({ versions: [2, 3], next: 3 });
    expect(await versionsIn({ order: 'desc', after: 4, limit: 2 })).toEqual({ versions: [3, 2], next: 2 });
    expect(await versionsIn({ order: 'asc', after: undefined, limit: 100 })).toEqual({ versions: [1, 2, 3, 4, 5], next: null });
    expect(await versionsIn({ order: 'desc', after: undefined, limit: 100 })).toEqual({ versions: [5, 4, 3, 2, 1], next: null });
    expect(await versionsIn({ order: 'asc', after: 5, limit: 100 })).toEqual({ versions: [], next: null });
  });

  it.each(['asc', 'desc'] as const)('are short where versions are large, and lead through all of them: %s', async (order) => {
    const seen: number[] = [];
    let pages = 0;
    for (let after: number | null | undefined; after !== null; pages++) {
      const page = await versionsIn({ order, after, limit: 100 }, 1_000);
      seen.push(...page.versions);
      after = page.next;
    }
    expect(seen).toEqual(order === 'asc' ? [1, 2, 3, 4, 5] : [5, 4, 3, 2, 1]);
    expect(pages).toBeGreaterThan(1);
    expect((await versionsIn({ order, after: undefined, limit: 100 }, 1)).versions).toHaveLength(1);
  });
});
