import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { LOG_STREAM } from '#domain/operations/log-events.js';
import { EMPTY, openRestorableLog, type RestorableLog, restorableLogs } from '#test/support/event-stores/restorable-log.js';
import { newTallyEvent } from '#test/support/projections/tally-projection.js';
import { examine, type Finding } from './examine.js';
import { LogIdentity } from './log-identity.js';
import { emptyOrigin, encodeOrigin, OriginTrail, withOpenings } from './origin.js';

const CATEGORIES = ['test.tally', 'test.fading'];
const counted = (by = 1) => newTallyEvent({ type: 'Counted', data: { name: 'a', by } });

describe.each(restorableLogs)('documents of %s', (kind) => {
  let log: RestorableLog;
  beforeEach(async () => {
    log = await openRestorableLog(kind);
    await start();
  });
  afterEach(() => log.dispose());

  /** Opens the log as every writing process does. */
  const start = () => new LogIdentity(log.store()).open();
  const append = (stream: string, count = 1) =>
    log.store().append(
      stream,
      Array.from({ length: count }, () => counted()),
      'any',
    );
  /** State of a namespace that has applied all events of these categories. */
  const applied = async (categories: readonly string[] = CATEGORIES) => {
    const installation = await new LogIdentity(log.store()).installation();
    if (installation === null) throw new Error('the log has no installation');
    const trail = new OriginTrail(encodeOrigin(emptyOrigin(installation)), 0n);
    const { events, position } = await log.store().readAll({ categories: withOpenings(categories), limit: 10_000 });
    trail.passed(events);
    return { checkpoint: position, origin: trail.at(position) ?? null };
  };
  const found = (progress: Parameters<typeof examine>[1]): Promise<Finding> =>
    examine({ events: log.store(), expiring: ['test.fading'] }, progress);

  it('come from it, even if it has gone on and was opened again', async () => {
    await append('test.tally-1', 3);
    const progress = await applied();
    expect(await found(progress)).toEqual({ kind: 'same' });
    await append('test.tally-1');
    await start();
    await append('test.other-1', 2);
    expect(await found(progress)).toEqual({ kind: 'same' });
    await log.restore(await log.backup());
    await start();
    expect(await found(progress)).toEqual({ kind: 'same' });
    expect(await found(await applied())).toEqual({ kind: 'same' });
  });

  it('do not come from it if it lost the last event they show', async () => {
    await append('test.tally-1', 3);
    const backup = await log.backup();
    await append('test.tally-1');
    const progress = await applied();
    await log.restore(backup);
    expect(await found(progress)).toMatchObject({ kind: 'other' });
    await start();
    expect(await found(progress)).toMatchObject({ kind: 'other' });
    await append('test.tally-1', 5);
    expect(await found(progress)).toMatchObject({ kind: 'other', why: expect.stringContaining('the last event they show') });
    await append('test.tally-2', 50);
    expect(await found(progress)).toMatchObject({ kind: 'other' });
  });

  it('come from it, but have to go back, if it lost only events of others', async () => {
    const { position: last } = await append('test.tally-1', 3);
    const backup = await log.backup();
    await append('test.other-1', 5);
    const progress = await applied();
    await log.restore(backup);
    expect(await found(progress)).toMatchObject({ kind: 'ahead', position: last });
    await start();
    const { position: unseen } = await append('test.tally-1');
    await append('test.other-1', 50);
    const finding = await found(progress);
    expect(finding).toMatchObject({ kind: 'ahead', position: last, why: expect.stringContaining('opening') });
    expect(unseen).toBeLessThanOrEqual(progress.checkpoint);
    const back = finding.kind === 'ahead' ? { checkpoint: finding.position, origin: finding.origin } : progress;
    expect(await found(back)).toEqual({ kind: 'same' });
  });

  it('come from it if their last event has expired, but not if others were written in its place', async () => {
    const stream = 'test.fading-1';
    await append('test.tally-1');
    const backup = await log.backup();
    await append(stream, 20); // more than a real server writes when it starts
    const progress = await applied();
    await append(stream, 3);
    await log.store().truncate(stream, 22n);
    expect(await found(progress)).toEqual({ kind: 'same' });
    await log.store().truncate(stream, 23n);
    expect(await found(progress)).toEqual({ kind: 'same' });
    await log.restore(backup);
    await start();
    await append(stream, 27);
    await log.store().truncate(stream, 27n);
    expect(await found(progress)).toMatchObject({ kind: 'other' });
  });

  it('do not come from it if the stream of their last event is shorter, though it may expire', async () => {
    const stream = 'test.fading-1';
    await append(stream, 2);
    const backup = await log.backup();
    await append(stream, 2);
    const progress = await applied();
    await log.restore(backup);
    await append('test.other-1', 50);
    expect(await found(progress)).toMatchObject({ kind: 'other', why: expect.stringContaining('the last event they show') });
  });

  it('do not come from it if it was deleted, or belongs to another installation', async () => {
    await append('test.tally-1', 3);
    const progress = await applied();
    await log.restore(EMPTY);
    expect(await found(progress)).toMatchObject({ kind: 'other', why: expect.stringContaining('none') });
    const other = await start();
    await append('test.tally-1', 3);
    expect(await found(progress)).toMatchObject({ kind: 'other', why: expect.stringContaining(`installation`) });
    expect(await found(progress)).toMatchObject({ why: expect.stringContaining(other) });
  });

  it('get an origin if they have none, unless they lie beyond its end', async () => {
    await append('test.tally-1', 3);
    const backup = await log.backup();
    await append('test.tally-1', 3);
    const { checkpoint } = await applied();
    const finding = await found({ checkpoint, origin: null });
    expect(finding).toMatchObject({ kind: 'unrecorded' });
    const recorded = { checkpoint, origin: finding.kind === 'unrecorded' ? finding.origin : null };
    expect(await found(recorded)).toEqual({ kind: 'same' });
    await log.restore(backup);
    expect(await found({ checkpoint, origin: null })).toMatchObject({ kind: 'other' });
    expect(await found(recorded)).toMatchObject({ kind: 'other' });
    await start();
    await append('test.tally-1', 50);
    expect(await found(recorded)).toMatchObject({ kind: 'other', why: expect.stringContaining('opening') });
    expect(await found({ checkpoint: 0n, origin: null })).toMatchObject({ kind: 'unrecorded' });
  });

  it('count as unrecorded if a program that keeps no origin moved their checkpoint', async () => {
    await append('test.tally-1');
    const { origin } = await applied();
    const { position } = await append('test.tally-1', 2);
    expect(await found({ checkpoint: position, origin })).toMatchObject({ kind: 'unrecorded' });
    expect(await found({ checkpoint: position, origin: '{"torn' })).toMatchObject({ kind: 'other' });
  });

  it('belong to one installation, however many processes open a new log at once', async () => {
    await log.restore(EMPTY);
    expect(await new LogIdentity(log.store()).installation()).toBeNull();
    const installations = await Promise.all(Array.from({ length: 8 }, () => start()));
    expect(new Set(installations).size).toBe(1);
    expect(await log.store().readStream(LOG_STREAM, { limit: 100 })).toHaveLength(8);
    expect(await start()).toBe(installations[0]);
    expect(installations[0]).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });
});
