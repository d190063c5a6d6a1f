import { describe, expect, it } from '@jest/globals';
import { kindOf } from '#api/operations/records/kinds.js';
import type { LogMoment } from '#domain/operations/moments.js';
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

/** A write of a day of a dated record, or its deletion. */
type Write = Readonly<{ day: string; change: 'created' | 'added' | 'replaced' } | { day: null }>;

/** Versions of a dated record after writes, with counts of what was read for them. */
const dated = (writes: readonly Write[]) => {
  const read = { events: 0, days: 0 };
  /** The snapshot that a read as of an event and a day answers. */
  const snapshotAt = (index: number, asked: string): object | undefined => {
    const days = new Map<string, object>();
    writes.slice(0, index + 1).forEach(({ day }, written) => {
      if (day === null) days.clear();
      else days.set(day, { id: 'w', date: day, name: `version ${written}` });
    });
    const newest = [...days.keys()].filter((day) => day <= asked).sort();
    return days.get(newest.at(-1) ?? '');
  };
  const of = {
    index: { event: () => ({ logTime: 0 }), momentAfter: (index: number) => ({ index, position: BigInt(index + 1) }), keyName: () => null },
    history: {
      event: async (index: number) => {
        read.events++;
        const { day, ...more } = writes[index] as Write;
        return { ...eventOf(index), stream: 'status.weights-t', type: 'Written', data: { id: 'w', date: day, ...more } };
      },
    },
    past: {
      read: async ({ moment, url }: Readonly<{ moment: LogMoment; url: string }>) => {
        read.days++;
        const found = snapshotAt(moment.index, url.slice(-10));
        return { status: found ? 200 : 404, body: Buffer.from(JSON.stringify({ data: [found] })) };
      },
    },
    kind: kindOf('status', 'weights'),
    reference: { service: 'status', kind: 'weights', id: 'w' },
    shown: { personal: false },
  } as unknown as Parameters<typeof versionsPage>[0];
  const all = writes.map(({ day }, index) => ({ index, ends: day === null }));
  const page = async (asked: VersionPage, characters?: number) => {
    Object.assign(read, { events: 0, days: 0 });
    return { ...(await versionsPage(of, all, asked, characters)), read: { ...read } };
  };
  return { page };
};

const day = (number: number): string => `2026-01-${`${number}`.padStart(2, '0')}`;

describe('pages of versions of dated records', () => {
  it('say the same in either order, wherever they begin', async () => {
    const writes: readonly Write[] = [
      { day: day(5), change: 'created' },
      { day: day(9), change: 'added' },
      { day: day(5), change: 'replaced' },
      { day: day(2), change: 'added' },
      { day: day(9), change: 'replaced' },
      { day: null },
      { day: day(9), change: 'created' },
      { day: day(9), change: 'replaced' },
      { day: day(1), change: 'added' },
    ];
    const { page } = dated(writes);
    const { versions } = await page({ order: 'asc', after: undefined, limit: 100 });
    const daysOf = (text: string) => Object.keys((JSON.parse(text) as { value: object | null }).value ?? {}).map((one) => one.slice(-1));
    expect(versions.map((text) => daysOf(text).join(''))).toEqual(['5', '59', '59', '259', '259', '', '9', '9', '19']);
    for (let from = 0; from < writes.length; from++) {
      for (let limit = 1; from + limit <= writes.length; limit++) {
        const expected = versions.slice(from, from + limit);
        expect((await page({ order: 'asc', after: from, limit })).versions).toEqual(expected);
        expect((await page({ order: 'desc', after: from + limit + 1, limit })).versions).toEqual(expected.toReversed());
      }
    }
  });

  it('read what they show, of the newest and of any place, and none of the events before', async () => {
    const writes = Array.from(
      { length: 90 },
      (_, index): Write => ({
        day: day((index % 30) + 1),
        change: index === 0 ? 'created' : index < 30 ? 'added' : 'replaced',
      }),
    );
    const { page } = dated(writes);
    const newest = await page({ order: 'desc', after: undefined, limit: 80 }, 1);
    expect(newest.versions).toHaveLength(1);
    // The oldest event, and those of the version and of the one that does not fit; all days and that there are no more, and two days of bases.
    expect(newest.read).toEqual({ events: 3, days: 33 });
    expect((await page({ order: 'asc', after: 80, limit: 2 })).read).toEqual({ events: 3, days: 33 });
  });
});
