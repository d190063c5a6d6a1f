import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { nextEventId } from '#domain/shared/event-ids.js';
import {
  type EventBatch,
  type EventStore,
  EventStoreUnavailable,
  type ReadAllOptions,
  type SubscribeOptions,
} from '#domain/shared/event-store.js';
import type { Position, RecordedEvent } from '#domain/shared/events.js';
import { DelegatingEventStore } from '#infra/stores/event-store/delegating-event-store.js';
import { systemEvent } from '#infra/stores/event-store/system-events.js';
import { AuditLab, type Happening } from '#test/support/audit/audit-lab.js';
import { openRestorableLog } from '#test/support/event-stores/restorable-log.js';
import { LONGEST_MS, until } from '#test/support/eventually.js';
import { forAny } from '#test/support/for-any.js';
import { runs } from '#test/support/test-runs.js';
import type { AuditIndex, EventFilter } from './audit-index.js';
import { EventList } from './event-list.js';
import type { EventRequest } from './event-pages.js';
import type { AuditEvents } from './open-audit-index.js';

let lab: AuditLab;
beforeEach(() => {
  lab = new AuditLab();
});
afterEach(() => lab.close());

/** A log that can be read for one event at a time, and is away after each, or always. */
class InterruptedLog extends DelegatingEventStore {
  interruptions = 0;
  private isAway = false;

  constructor(
    log: EventStore,
    private readonly comesBack: boolean,
  ) {
    super(log);
  }

  override async readAll(options: ReadAllOptions): Promise<EventBatch> {
    this.isAway = !this.comesBack || !this.isAway;
    if (!this.isAway) return this.inner.readAll({ ...options, limit: 1 });
    this.interruptions += 1;
    throw new EventStoreUnavailable('interrupted');
  }
}

/** A log that ends at a position, also inside an append. */
class LogUpTo extends DelegatingEventStore {
  constructor(
    log: EventStore,
    private readonly last: Position,
  ) {
    super(log);
  }

  override async end(): Promise<Position> {
    return this.last;
  }

  override readAll({ after = 0n, limit, ...options }: ReadAllOptions): Promise<EventBatch> {
    return this.inner.readAll({ ...options, after, limit: Math.min(limit, Number(this.last - after)) });
  }

  override async *subscribeAll({ signal }: SubscribeOptions): AsyncGenerator<EventBatch> {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  }
}

const DAY = Date.parse('2024-01-01T00:00:00Z');
const MESSAGES = 'messaging.messages-a';
const STREAMS = ['status.tenants-global', 'status.reports-1', 'status.reports-2', MESSAGES, 'messaging.cursor-b', 'tests'];

const happening: fc.Arbitrary<Happening> = fc.record({
  stream: fc.constantFrom(...STREAMS, 'integrity.other-1', 'keys.subject-1'),
  type: fc.constantFrom('Created', 'Revised', 'Deleted'),
  actor: fc.record({ kind: fc.constantFrom('key', 'user', 'system'), id: fc.constantFrom('ada', 'bob', `${'long/é'.repeat(400)}`) }),
  service: fc.constantFrom('messaging', 'status', 'ops'),
  request: fc.constantFrom('r1', 'r2', 'r3'),
  correlation: fc.constantFrom('r1', 'c2'),
  causation: fc.constantFrom('r1', 'c2', 'e1'),
  time: fc.integer({ min: DAY, max: DAY + 50 }),
});

const filters: fc.Arbitrary<EventFilter> = fc.record(
  {
    stream: fc.constantFrom(...STREAMS, 'keys.subject-1', 'nothing'),
    category: fc.constantFrom('status.reports', 'tests', 'nothing'),
    types: fc.subarray(['Created', 'Revised', 'Nothing'], { minLength: 1 }),
    actor: fc.constantFrom('ada', 'long/é'.repeat(400), 'nobody'),
    service: fc.constantFrom('status', 'ops'),
    correlation: fc.constantFrom('r1', 'c2', 'x'),
    causation: fc.constantFrom('r1', 'r2', 'c2', 'e1', 'x'),
    request: fc.constantFrom('r1', 'r3', 'x'),
  },
  { requiredKeys: [] },
);

const question = fc.record({
  filter: fc.oneof({ weight: 3, arbitrary: filters }, { weight: 1, arbitrary: fc.constant({}) }),
  order: fc.constantFrom('asc' as const, 'desc' as const),
  limit: fc.integer({ min: 1, max: 20 }),
  from: fc.option(fc.integer({ min: DAY, max: DAY + 50 }), { nil: undefined }),
  to: fc.option(fc.integer({ min: DAY, max: DAY + 50 }), { nil: undefined }),
});

type Question = typeof question extends fc.Arbitrary<infer Value> ? Value : never;

/** Log times, as operations contract 0 defines them. */
const logTimes = (events: readonly RecordedEvent[]): readonly number[] => {
  let greatest = 0;
  return events.map(({ metadata }) => {
    greatest = Math.max(greatest, Date.parse(metadata.time));
    return greatest;
  });
};

/** Answers the same query by examining every event. */
const naive = (events: readonly RecordedEvent[], { filter, order, from, to }: Question): readonly number[] => {
  const times = logTimes(events);
  const { stream, category, types = [], actor, service, correlation, causation, request }: EventFilter = filter;
  const passing = events.flatMap((event, index) => {
    const { metadata } = event;
    const time = times[index] as number;
    const passes =
      (stream === undefined || event.stream === stream) &&
      (category === undefined || event.stream.split('-')[0] === category) &&
      (types.length === 0 || types.includes(event.type)) &&
      (actor === undefined || metadata.actor.id === actor) &&
      (service === undefined || metadata.service === service) &&
      (correlation === undefined || metadata.correlationId === correlation) &&
      (causation === undefined || metadata.causationId === causation) &&
      (request === undefined || metadata.requestId === request) &&
      (from === undefined || time >= from) &&
      (to === undefined || time < to);
    return passes ? [index] : [];
  });
  return order === 'asc' ? passing : passing.reverse();
};

/** Actors by id, with their activity. */
const naiveActors = (events: readonly RecordedEvent[]): readonly unknown[] => {
  const times = logTimes(events);
  const actors = new Map<string, { kind: string; id: string; firstSeen: number; lastSeen: number; events: number; services: string[] }>();
  for (const [index, { metadata }] of events.entries()) {
    const { kind, id } = metadata.actor;
    const time = times[index] as number;
    const known = actors.get(`${id} ${kind}`) ?? { kind, id, firstSeen: time, lastSeen: time, events: 0, services: [] };
    const services = [...new Set([...known.services, metadata.service])].sort();
    actors.set(`${id} ${kind}`, { ...known, lastSeen: time, events: known.events + 1, services });
  }
  return [...actors].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, actor]) => actor);
};

const naiveCategories = (events: readonly RecordedEvent[]): readonly unknown[] => {
  const names = [...new Set(events.map(({ stream }) => stream.split('-')[0] as string))].sort();
  return names.map((name) => {
    const own = events.filter(({ stream }) => stream.split('-')[0] === name);
    return { name, streams: new Set(own.map(({ stream }) => stream)).size, events: own.length };
  });
};

const request = (audit: AuditEvents, changes: Partial<EventRequest> = {}): EventRequest => ({
  owner: 'test',
  filter: {},
  order: 'asc',
  size: audit.index.checkpoint().size,
  form: 'readable',
  shown: { personal: false },
  listsExpired: false,
  ...changes,
});

type Item = Readonly<{ index: number; id: string; stream: string; revision: number; expired?: true; hash: string }>;

/** All pages of a list. */
const walk = async (audit: AuditEvents, asked: EventRequest, limit: number): Promise<readonly Item[]> => {
  const items: Item[] = [];
  for (let start = asked.start; ; ) {
    const page = await audit.pages.page({ ...asked, start }, limit);
    expect(page.items.length).toBeLessThanOrEqual(limit);
    items.push(...page.items.map((item) => JSON.parse(item)));
    if (page.next === null) return items;
    start = page.next;
  }
};

const indexesOf = (items: readonly Item[]): readonly number[] => items.map(({ index }) => index);

describe('Events by filters', () => {
  it('are those that a look at every event finds, page by page and line by line', async () => {
    await forAny(
      runs(12),
      fc.array(happening, { maxLength: 80 }),
      fc.array(question, { minLength: 10, maxLength: 10 }),
      async (happenings, questions) => {
        const own = new AuditLab();
        try {
          await own.append(...happenings);
          const audit = await own.indexed();
          const events = await own.events();
          expect(audit.index.checkpoint().size).toBe(events.length);
          expect(audit.index.tallies.actorsAfter(undefined, 100)).toEqual(naiveActors(events));
          const behind = events.filter(({ metadata }) => metadata.actor.id > 'ada');
          expect(audit.index.tallies.actorsAfter('ada', 1)).toMatchObject(
            naiveActors(behind)
              .slice(0, 1)
              .map((actor) => ({ id: (actor as { id: string }).id })),
          );
          expect(audit.index.tallies.categories()).toEqual(naiveCategories(events));
          for (let end = 0; end <= events.length; end += 1)
            expect(audit.index.tallies.before(end, 'service', 'status')).toBe(
              events.slice(0, end).filter(({ metadata }) => metadata.service === 'status').length,
            );
          for (const [at, { id }] of events.entries()) {
            expect(indexesOf(await walk(audit, request(audit, { filter: { event: id } }), 9))).toEqual([at]);
            expect(await audit.pages.indexOf(id, 'test', at)).toBeUndefined();
          }
          for (const asked of questions) {
            const { filter, order, from, to, limit } = asked;
            const expected = naive(events, asked);
            const asking = request(audit, { filter, order, from, to });
            expect(indexesOf(await walk(audit, asking, limit))).toEqual(expected);
            const lines: string[] = [];
            for await (const portion of audit.pages.portions(asking, limit)) lines.push(...portion);
            expect(indexesOf(lines.map((line) => JSON.parse(line)))).toEqual(expected.slice(0, limit));
          }
        } finally {
          await own.close();
        }
      },
    );
  });
});

const one = (stream: string, changes: Partial<Happening> = {}): Happening => ({
  stream,
  type: 'Created',
  actor: { kind: 'key', id: 'ada' },
  service: 'status',
  request: 'r',
  correlation: 'r',
  time: DAY,
  ...changes,
});

const many = (count: number, happening: (index: number) => Happening): readonly Happening[] =>
  Array.from({ length: count }, (_, at) => happening(at));

describe('An event', () => {
  it('is found by its id among the others of its command, until it leaves the log', async () => {
    await lab.append(one('status.tenants-global'));
    await lab.appendCommand([one(MESSAGES), ...many(149, () => one(MESSAGES))]);
    const audit = await lab.indexed();
    const events = await lab.events();
    const { size } = audit.index.checkpoint();
    const found = (id: string) => audit.pages.indexOf(id, 'test', size);
    for (const at of [0, 1, 2, 75, 101, 149, 150]) expect(await found(events[at]?.id ?? '')).toBe(at);
    const ids = events.map(({ id }) => id);
    for (const id of [nextEventId(ids.at(-1) ?? ''), ids[75]?.toUpperCase() ?? '', randomUUID(), 'ada', ''])
      expect(await found(id)).toBeUndefined();
    const byOthers = { filter: { event: ids[75], category: 'status.tenants' } };
    expect(await walk(audit, request(audit, byOthers), 9)).toEqual([]);
    await lab.chain();
    await lab.expire(MESSAGES, 100n);
    expect(await found(ids[75] ?? '')).toBeUndefined();
    expect(await found(ids[101] ?? '')).toBe(101);
  });
});

describe('An index that is built again', () => {
  it('numbers events as before, although some have expired since', async () => {
    await forAny(
      runs(8),
      fc.array(happening, { minLength: 20, maxLength: 80 }),
      fc.nat(30),
      fc.nat(30),
      async (happenings, gone, later) => {
        const own = new AuditLab();
        try {
          await own.append(...happenings.slice(later));
          await own.chain();
          const known = await own.indexed('before');
          const before = await walk(known, request(known), 50);
          await own.expire(MESSAGES, BigInt(gone));
          await own.append(...happenings.slice(0, later));
          await own.caughtUp(known);
          const again = await own.indexed('again');
          expect(again.index.checkpoint()).toMatchObject({ size: known.index.checkpoint().size });
          const asked = { form: 'stored', listsExpired: true } as const;
          const [old, anew] = [await walk(known, request(known, asked), 9), await walk(again, request(again, asked), 9)];
          expect(anew).toEqual(old);
          expect(indexesOf(anew)).toEqual(anew.map((_, index) => index));
          expect(anew.map(({ hash }) => hash).slice(0, before.length)).toEqual(before.map(({ hash }) => hash));
          const expired = before.filter(({ stream, revision }) => stream === MESSAGES && revision < gone);
          expect(anew.filter((item) => item.expired).map(({ index }) => index)).toEqual(indexesOf(expired));
        } finally {
          await own.close();
        }
      },
    );
  });

  it('shows nothing of expired events in filtered lists, and walks over many of them', async () => {
    await lab.append(...many(300, () => one(MESSAGES)), one('status.tenants-global'));
    await lab.chain(100);
    await lab.expire(MESSAGES, 299n);
    const audit = await lab.indexed();
    expect(indexesOf(await walk(audit, request(audit), 100))).toEqual([299, 300]);
    expect(indexesOf(await walk(audit, request(audit, { filter: { types: ['Created'] } }), 1))).toEqual([299, 300]);
    const stored = await walk(audit, request(audit, { form: 'stored', listsExpired: true, order: 'desc' }), 100);
    expect(indexesOf(stored)).toEqual(many(301, () => one('x')).map((_, at) => 300 - at));
    expect(stored[300]).toEqual({ index: 0, hash: expect.stringMatching(/^[0-9a-f]{64}$/), expired: true });
    expect(audit.index.tallies.categories()).toEqual([
      { name: 'messaging.messages', streams: 1, events: 300 },
      { name: 'status.tenants', streams: 1, events: 1 },
    ]);
    expect(audit.index.indexOfRevision(MESSAGES, 17)).toBe(17);
    expect(
      await Promise.all(
        [['messaging.messages'], ['status.*', 'messaging.messages'], ['status.none']].map((wanted) => audit.counted.count(wanted)),
      ),
    ).toEqual([1, 2, 0]);
    await lab.append(one('status.tenants-global'));
    expect(await audit.counted.count(['status.tenants'])).toBe(2);
    await lab.append(...many(5, () => one('status.tenants-global')));
    expect(await lab.open('unfilled').counted.count(['status.tenants'])).toBeNull();
  });

  it('counts what has expired in all streams together', async () => {
    const streams = Array.from({ length: 5 }, (_, at) => `messaging.messages-t${at}`);
    await lab.append(...streams.flatMap((stream) => many(3, () => one(stream))));
    await lab.chain(100);
    for (const stream of streams.slice(0, 4)) await lab.expire(stream, 2n);
    const audit = await lab.indexed();
    expect(await audit.counted.categories()).toContainEqual(expect.objectContaining({ name: 'messaging.messages', expired: 8 }));
  });

  it('goes on from its checkpoint, and begins anew over another log', async () => {
    await lab.append(...many(20, (at) => one(`status.reports-${at % 3}`)));
    const first = await lab.indexed('kept');
    await first.close();
    await lab.append(...many(5, () => one('status.reports-1', { time: DAY + 9 })));
    const second = await lab.indexed('kept');
    expect(indexesOf(await walk(second, request(second, { filter: { stream: 'status.reports-1' } }), 4))).toHaveLength(12);
    expect(second.index.tallies.actor('key', 'ada')).toMatchObject({ events: 25, firstSeen: DAY, lastSeen: DAY + 9, services: ['status'] });
    await second.close();
    const other = new AuditLab();
    try {
      await other.append(...many(40, () => one('status.reports-9')));
      const third = lab.open('kept', { events: other.log });
      await other.caughtUp(third);
      expect(third.index.checkpoint().size).toBe(40);
      expect(third.index.hasStream('status.reports-1')).toBe(false);
      expect(third.index.tallies.categories()).toEqual([{ name: 'status.reports', streams: 1, events: 40 }]);
      await third.close();
    } finally {
      await other.close();
    }
  });

  it('is filled at rest over any number of interruptions, as long as it grows', async () => {
    await lab.append(...many(20, (at) => one(`status.reports-${at % 3}`)));
    const [growing, away] = [new InterruptedLog(lab.log, true), new InterruptedLog(lab.log, false)];
    const head = await lab.log.head();
    await lab.open('growing', { events: growing }).catchUp(head);
    expect(growing.interruptions).toBeGreaterThan(10);
    await expect(lab.open('away', { events: away }).catchUp(head)).rejects.toThrow('interrupted');
  });

  it('begins anew as soon as a shorter copy of the log has come back, though nothing is appended to it', async () => {
    const remote = await openRestorableLog('EventStoreDB');
    const events = remote.store();
    const append = (stream: string) => events.append(stream, [systemEvent('test', 'Created', {}, null)], 'any');
    await append('status.reports-1');
    const backup = await remote.backup();
    const { position } = await append('status.reports-2');
    const { index, close } = lab.open('kept', { events });
    expect(await index.reached(position, LONGEST_MS)).toBe(true);
    await remote.restore(backup);
    await until(async () => !index.hasStream('status.reports-2') && index.hasStream('status.reports-1'));
    await close();
    await remote.dispose();
  });
});

describe('The timeline', () => {
  it('finds the last event at or before an instant and a position; log time never goes back', async () => {
    await lab.append(
      one('a', { time: DAY + 5 }),
      one('keys.x', { time: DAY + 6 }),
      one('b', { time: DAY + 2 }),
      one('c', { time: DAY + 9 }),
    );
    const { index } = await lab.indexed();
    const at = (milliseconds: number): string => new Date(DAY + milliseconds).toISOString();
    expect(await index.atInstant(DAY + 4)).toBeNull();
    expect(await index.atInstant(DAY + 5)).toEqual({ index: 1, position: 3n, time: at(5) });
    expect(await index.atInstant(DAY + 8.5)).toEqual({ index: 1, position: 3n, time: at(5) });
    expect(await index.atInstant(DAY + 999)).toEqual({ index: 2, position: 4n, time: at(9) });
    expect(await index.atPosition(0n)).toBeNull();
    expect(await index.atPosition(2n)).toEqual({ index: 0, position: 1n, time: at(5) });
    expect(await index.atPosition(99n)).toMatchObject({ index: 2 });
    expect(await index.reached(5n, 1)).toBe(false);
  });

  it('takes the events of a command as one step, also where the index ended in between or a part is lost', async () => {
    const command = (stream: string, count: number): readonly [Happening, ...Happening[]] => {
      const happened = one(stream, { time: DAY });
      return [happened, ...Array<Happening>(count - 1).fill(happened)];
    };
    const shownAt = (index: AuditIndex, positions: readonly bigint[]) =>
      Promise.all(positions.map(async (position) => (await index.atPosition(position))?.position ?? null));
    await lab.append(one('a', { time: DAY }));
    await lab.appendCommand(command('a', 3));
    await lab.appendCommand(command(MESSAGES, 9));
    await lab.append(one(MESSAGES, { time: DAY }));
    const { index } = await lab.indexed();
    const positions = [1n, 2n, 3n, 4n, 5n, 12n, 13n, 14n];
    const shown = [1n, 1n, 1n, 4n, 4n, 4n, 13n, 14n];
    expect(await shownAt(index, positions)).toEqual(shown);
    expect([1, 3, 4, 12, 13].map((at) => index.momentAfter(at).position)).toEqual([4n, 4n, 13n, 13n, 14n]);
    expect([0, 1, 3, 4, 12].map((at) => index.momentBefore(at)?.position ?? null)).toEqual([null, 1n, 1n, 4n, 4n]);
    for (const last of [3n, 8n]) {
      const name = `up to ${last}`;
      const part = lab.open(name, { events: new LogUpTo(lab.log, last) });
      await until(() => part.index.checkpoint().size === Number(last));
      await part.close();
      expect(await shownAt((await lab.indexed(name)).index, positions)).toEqual(shown);
    }
    await lab.chain();
    await lab.expire(MESSAGES, 5n);
    expect(await shownAt((await lab.indexed()).index, [4n, 13n, 14n])).toEqual([4n, 13n, 14n]);
  });
});

describe('A look at many events', () => {
  it('is bounded: lists that never meet give empty pages with a next', async () => {
    const size = 45_000;
    const list = (rest: number) => ({
      from: (index: number) => (index % 2 === rest ? index : index + 1),
      upTo: (index: number) => (index % 2 === rest ? index : index - 1),
    });
    const found = await new EventList([list(0), list(1)]).find({ order: 'asc', start: 0, end: size }, 10, 20_000);
    expect(found).toMatchObject({ indexes: [], looked: 20_000 });
    expect(found.next).toBeGreaterThanOrEqual(20_000);
    const rare = { from: (index: number) => (index <= 44_000 ? 44_000 : undefined), upTo: () => 44_000 };
    expect(await new EventList([list(0), rare]).find({ order: 'asc', start: 0, end: size }, 10, 20_000)).toMatchObject({
      indexes: [44_000],
      next: null,
      looked: 3,
    });
  });
});
