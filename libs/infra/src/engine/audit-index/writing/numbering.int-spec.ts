import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { EXPIRING } from '#domain/integrity/expiring.js';
import { ANCHORS_STREAM } from '#domain/integrity/integrity-events.js';
import { AuditLab, type Happening } from '#test/support/audit/audit-lab.js';
import { LONGEST_MS, until } from '#test/support/eventually.js';
import { forAny } from '#test/support/for-any.js';
import { runs } from '#test/support/test-runs.js';
import type { AuditEvents } from '../open-audit-index.js';

const STREAMS = [...EXPIRING.flatMap((category) => [`${category}-a`, `${category}-b`]), 'status.reports-1'];

type Step =
  | Readonly<{ kind: 'append'; stream: string; events: number; together: boolean }>
  | Readonly<{ kind: 'expire'; stream: string; left: number }>
  | Readonly<{ kind: 'leaves'; inOneEvent: number }>
  | Readonly<{ kind: 'anchor' | 'rebuild' | 'restart' | 'import' }>;

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('append' as const),
      stream: fc.constantFrom(...STREAMS),
      events: fc.integer({ min: 1, max: 5 }),
      together: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('expire' as const),
      stream: fc.constantFrom(...STREAMS.slice(0, -1)),
      left: fc.integer({ min: 0, max: 2 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('leaves' as const), inOneEvent: fc.integer({ min: 1, max: 8 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom('anchor' as const, 'rebuild' as const, 'restart' as const, 'import' as const) }),
  },
);

type Place = Readonly<{ index: number; stream: string; revision: number; position: string }>;
type Item = Place & Readonly<{ expired?: true; missing?: true }>;

const happening = (stream: string): Happening => ({
  stream,
  type: stream === ANCHORS_STREAM ? 'AnchorSigned' : 'Happened',
  actor: { kind: 'key', id: 'ada' },
  service: 'messaging',
  request: 'r',
  correlation: 'r',
  time: Date.parse('2024-01-01T00:00:00Z'),
});

/** A log, every event ever appended to it, and an index that has followed it from the start. */
class World {
  private readonly lab = new AuditLab();
  private readonly places: { stream: string; revision: number }[] = [];
  private chained = 0;
  private following?: AuditEvents;

  async run(steps: readonly Step[]): Promise<void> {
    for (const one of steps) await this.take(one);
    await this.restart();
    await this.rebuild();
  }

  close(): Promise<void> {
    return this.lab.close();
  }

  private async take(one: Step): Promise<void> {
    switch (one.kind) {
      case 'append':
        return this.append(one.stream, one.events, one.together);
      case 'expire':
        return this.expire(one.stream, one.left);
      case 'leaves':
        await this.lab.chain(one.inOneEvent);
        this.chained = this.places.length;
        return;
      case 'anchor':
        return this.lab.append(happening(ANCHORS_STREAM));
      case 'rebuild':
        return this.rebuild();
      case 'restart':
        return this.restart();
      case 'import':
        return this.import();
    }
  }

  private async append(stream: string, events: number, together: boolean): Promise<void> {
    const first = this.places.filter((place) => place.stream === stream).length;
    for (let next = 0; next < events; next++) this.places.push({ stream, revision: first + next });
    const happenings = Array.from({ length: events }, () => happening(stream));
    const [one, ...others] = happenings;
    if (together && one) await this.lab.appendTogether([one, ...others]);
    else await this.lab.append(...happenings);
  }

  /** Only chained events may leave the log. */
  private async expire(stream: string, left: number): Promise<void> {
    const before = this.places.slice(0, this.chained).filter((place) => place.stream === stream).length - left;
    if (before > 0) await this.lab.expire(stream, BigInt(before));
  }

  /** Events expire while the index does not follow; then it continues. */
  private async restart(): Promise<void> {
    await this.following?.close();
    this.following = await this.lab.indexed('following');
    await this.expectAll(this.lab, this.following);
  }

  private async rebuild(): Promise<void> {
    const index = await this.lab.indexed();
    await this.expectAll(this.lab, index);
    await index.close();
  }

  private async import(): Promise<void> {
    const copy = await this.lab.imported();
    try {
      await this.expectAll(copy, await copy.indexed());
    } finally {
      await copy.close();
    }
  }

  /** Expects that each event has its index in the chain, in pages of any size, and is found by its position. */
  private async expectAll(lab: AuditLab, audit: AuditEvents): Promise<void> {
    const there = new Map((await lab.events()).map((event) => [`${event.stream} ${event.revision}`, event.position]));
    const oldest = new Map<string, number>();
    for (const stream of STREAMS)
      oldest.set(stream, Number((await lab.log.readStream(stream, { limit: 1 }))[0]?.revision ?? Number.MAX_SAFE_INTEGER));
    const expected = this.places.map(({ stream, revision }, index) =>
      revision < (oldest.get(stream) ?? 0)
        ? { index, hash: expect.any(String), expired: true }
        : expect.objectContaining({ index, stream, revision, position: `${there.get(`${stream} ${revision}`)}` }),
    );
    const items: Item[] = [];
    for await (const portion of audit.pages.portions({
      owner: 'test',
      filter: {},
      order: 'asc',
      size: audit.index.checkpoint().size,
      form: 'stored',
      shown: { personal: false },
      listsExpired: true,
    }))
      items.push(...portion.map((item) => JSON.parse(item)));
    expect(items).toEqual(expected);
    for (const { index, position, expired } of items)
      if (!expired) expect(await audit.index.atPosition(BigInt(position))).toMatchObject({ index, position: BigInt(position) });
    const positions = items.map(({ index }) => audit.index.event(index).position);
    expect(positions).toEqual([...positions].sort((one, other) => Number(one - other)));
  }
}

const indexOf = async (lab: AuditLab, name: string): Promise<AuditEvents> => {
  const audit = lab.open(name);
  expect(await audit.index.reached(1n, LONGEST_MS)).toBe(true);
  return audit;
};

/** Identity of the file that names all others of an index: another one after each write. */
const versionOf = (lab: AuditLab, name: string): readonly bigint[] => {
  const { ino, ctimeNs } = statSync(join(lab.pathOf(name), 'audit', 'index', 'current'), { bigint: true });
  return [ino, ctimeNs];
};

describe('An index that never fits the chain', () => {
  it('is built anew once, then stops, says so once and serves what it has, after a restart too', async () => {
    const lab = new AuditLab();
    try {
      await lab.append(...Array.from({ length: 3 }, () => happening('status.reports-1')));
      await lab.chain();
      const known = await lab.indexed('kept');
      expect(known.index.stopped()).toBeNull();
      await lab.appendLeaves({ from: 5, place: { stream: 'status.reports-1', revision: 9 } });
      await lab.append(happening('status.reports-1'));
      await until(async () => known.index.stopped() !== null);
      expect(known.index.stopped()).toBe('event 5 is not where the chain has it');
      expect(known.index.checkpoint().size).toBe(3);
      await known.close();
      const before = versionOf(lab, 'kept');
      const attempts = jest.spyOn(lab.log, 'subscribeAll');
      const again = await indexOf(lab, 'kept');
      expect([again.index.stopped(), again.index.checkpoint().size]).toEqual(['event 5 is not where the chain has it', 3]);
      await until(() => attempts.mock.calls.length > 1);
      expect(versionOf(lab, 'kept')).toEqual(before);
    } finally {
      await lab.close();
    }
  });
});

describe('An index of a log whose events expire', () => {
  it('numbers events as the chain does, whatever begins, fills or ends a batch of leaves, in every order of appends, expiry, leaves, anchors, restarts, rebuilds and imports', async () => {
    await forAny(runs(100, 8), fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
      const world = new World();
      try {
        await world.run(steps);
      } finally {
        await world.close();
      }
    });
  });
});
