import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { BodyOfPieces } from '#api/shared/answers/pieces.js';
import type { Answer } from '#api/shared/http/answer.js';
import { StatusError } from '#api/status/errors.js';
import { MetricStatusesController } from '#api/status/metric-data/metric-statuses.controller.js';
import { MetricTimelines } from '#api/status/metric-data/metric-timelines.js';
import type { ReadingCall } from '#api/status/parameters.js';
import { CollectedTimelines } from '#api/status/timelines/collected.js';
import { Work } from '#api/status/work.js';
import type { ReadView } from '#projections/shared/read-store.js';
import { MetricDataQueries } from '#projections/status/metric-data/queries.js';
import { resultsProjection } from '#projections/status/metric-results/projection.js';
import type { ReportQueries } from '#projections/status/reports/queries.js';
import type { ReportReader, Results } from '#projections/status/results/report-reader.js';
import { until } from '#test/support/eventually.js';
import { memoryView } from '#test/support/memory-view.js';
import { storedAfter } from '#test/support/projection-spec.js';
import { AnswerMemory } from './answer-memory.js';
import { rootedListOfPages } from './answers.js';
import type { BranchBody } from './branches.js';

const MIB = 1024 * 1024;

/** A body of more than one chunk. */
const long = (): BranchBody => ({
  branches: {
    name: 'groups',
    items: Array.from({ length: 30 }, () => ({ tag: 'group', attributes: {}, members: { name: 'x'.repeat(100_000) } })),
  },
});

const asking = (tenantId: string, isGone = () => false): Omit<ReadingCall, 'query'> => ({
  caller: { kind: 'tenant', tenantId, actorId: tenantId, roles: [] },
  format: 'json',
  work: new Work(isGone),
});

const held = (answers: AnswerMemory, tenant: string, bytes: number) =>
  answers.answer(asking(tenant), async (budget) => {
    if (!budget.grow(bytes)) throw new Error('no room');
    return long();
  });

/** The body as it is sent. */
const sent = async (answer: Promise<Answer>): Promise<unknown> => {
  const { body } = await answer;
  return body instanceof BodyOfPieces ? body.made() : body;
};

const DAY = '2026-05-01';

/** Calls for the timelines of the metrics of an endpoint on a day. `report`: of the results. */
const metricTimelines = (answers: AnswerMemory, view: ReadView, report: Results['report']) => {
  const timelines = new MetricTimelines(new MetricDataQueries({ view: () => view }), { report });
  const reports = { byName: async () => ({ id: 'r', types: ['SITES'] }) } as unknown as ReportQueries;
  const controller = new MetricStatusesController(timelines, reports, { answers });
  const query = { start_time: `${DAY}T00:00:00Z`, end_time: `${DAY}T23:59:59Z`, view: 'details' };
  const params = { report: 'Critical', type: 'SITES', group: 'g', service: 's', endpoint: 'h' };
  return (call: ReturnType<typeof asking>) => controller.statuses({ ...call, query }, params);
};

describe('answers that are collected before they are sent', () => {
  it('hold their memory until they are taken', async () => {
    const answers = new AnswerMemory();
    const body = (await sent(held(answers, 'a', MIB))) as Readable;
    expect(answers.inUse).toBeGreaterThan(MIB);
    for await (const _chunk of body);
    expect(answers.inUse).toBe(0);
  });

  it('give it back when their callers are gone, before or while they are taken', async () => {
    const answers = new AnswerMemory();
    const [unread, begun] = await Promise.all(['a', 'b'].map(async (tenant) => (await sent(held(answers, tenant, MIB))) as Readable));
    await once(begun as Readable, 'readable');
    for (const body of [unread, begun]) {
      body?.destroy();
      await once(body as Readable, 'close');
    }
    await new Promise(setImmediate);
    expect(answers.inUse).toBe(0);
  });

  it('give it back when they fail, and when they are short', async () => {
    const answers = new AnswerMemory();
    const failed = answers.answer({ ...asking('a'), format: 'xml' }, async (budget) => {
      budget.grow(MIB);
      throw new Error('failed');
    });
    await expect(failed).rejects.toThrow('failed');
    await sent(answers.answer(asking('a'), async () => ({ branches: { name: 'groups', items: [] } })));
    expect(answers.inUse).toBe(0);
  });

  it('include the timelines of the metrics of an endpoint', async () => {
    const results = [1, 2, 3].map((second) => ({
      ...{ host: 'h', timestamp: `${DAY}T00:00:0${second}Z`, report: 'r', endpoint_group: 'g', service: 's', metric: 'm', status: 'OK' },
      ...{ summary: '', message: '', actual_data: 'x'.repeat(MIB) },
    }));
    const view = memoryView(storedAfter(resultsProjection, [{ type: 'MetricResultsRecorded', data: { tenantId: 'a', results } }]));
    const answers = new AnswerMemory();
    const statuses = metricTimelines(answers, view, async () => undefined);
    const body = (await sent(statuses(asking('a')))) as Readable;
    expect(answers.inUse).toBeGreaterThan(3 * MIB);
    for await (const _chunk of body);
    expect(answers.inUse).toBe(0);
  });

  it('are refused if a rule of thresholds that points share is too long to be written for each of them', async () => {
    const [day, previous] = ['2026-05-01', { timestamp: '2026-05-01T00:00:00Z', status: 'MISSING' }];
    const point = { status: 'WARNING', actualData: 'a=3', originalStatus: 'OK', thresholdRule: 'x'.repeat(MIB) };
    const points = Array.from({ length: 64 }, (_, at) => ({ at, ...point }));
    const metrics = async function* () {
      yield { day, endpoints: [{ metrics: [{ metric: 'm', previous, points }] }] };
    };
    const report = { computations: { status: true }, metrics } as unknown as ReportReader;
    const timelines = new MetricTimelines(new MetricDataQueries({ view: () => memoryView({}) }), { report: async () => report });
    const endpoint = { tenantId: 'a', report: 'r', name: 'Critical', group: 'g', service: 's', host: 'h' };
    const budget = { grow: () => true, isGone: () => false };
    await expect(timelines.of(endpoint, { from: day, to: day }, budget)).rejects.toMatchObject({ code: 'OVER_LIMIT' });
  });

  it('of one tenant leave room for those of others', async () => {
    const answers = new AnswerMemory();
    await held(answers, 'a', 40 * MIB);
    await expect(held(answers, 'a', 40 * MIB)).rejects.toThrow('no room');
    await expect(held(answers, 'b', 40 * MIB)).resolves.toBeDefined();
    await held(answers, 'c', 100 * MIB); // the only one of its tenant
  });

  it('of one caller are collected a few at a time, and not at all when the caller has gone', async () => {
    const answers = new AnswerMemory();
    const ends: (() => void)[] = [];
    const started = (tenant: string, isGone?: () => boolean) =>
      answers.answer(asking(tenant, isGone), async () => {
        await new Promise<void>((resolve) => ends.push(resolve));
        return { branches: { name: 'groups', items: [] } };
      });
    const gone = { isGone: false };
    const running = Array.from({ length: 5 }, () => started('a', () => gone.isGone));
    const other = started('b');
    expect(ends.length).toBe(5);
    gone.isGone = true;
    for (const end of ends) end();
    await Promise.all([...running.slice(0, 4), other].map(sent));
    await expect(running[4]).rejects.toMatchObject({ statusCode: 499 });
    expect(answers.inUse).toBe(0);
  });

  it('do not wait for metric timelines of their caller, which wait for a large call until the caller has gone', async () => {
    const answers = new AnswerMemory();
    const waiting: (() => void)[] = [];
    let isGone = false;
    const statuses = metricTimelines(answers, memoryView({}), async (_tenantId, _name, isGoneToo) => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      if (isGoneToo?.()) throw new Error('gone');
      return undefined;
    });
    const timelines = Promise.allSettled(Array.from({ length: 4 }, () => statuses(asking('a', () => isGone))));
    await until(() => waiting.length === 4);
    await sent(answers.answer(asking('a'), async () => ({ branches: { name: 'groups', items: [] } })));
    isGone = true;
    for (const end of waiting) end();
    expect(await timelines).toEqual(Array.from({ length: 4 }, () => ({ status: 'rejected', reason: new Error('gone') })));
    expect(answers.inUse).toBe(0);
  });

  it('end with the next day when the caller has gone', async () => {
    const taken: string[] = [];
    const days = async function* () {
      for (const day of ['2026-05-01', '2026-05-02', '2026-05-03']) yield { day };
    };
    const rows = ({ day }: Readonly<{ day: string }>) => [{ path: [day], addTo: () => void taken.push(day) }];
    const collected = new CollectedTimelines({ grow: () => true, isGone: () => taken.length === 2 });
    await expect(collected.take(days(), rows)).rejects.toMatchObject({ statusCode: 499 });
    expect(taken).toEqual(['2026-05-01', '2026-05-02']);
  });

  it('are refused for now where there is no room', async () => {
    const days = async function* () {
      yield { day: '2026-05-01' };
    };
    const rows = () => Array.from({ length: 1_000 }, (_, n) => ({ path: [`${n}`], addTo: () => {} }));
    const collected = new CollectedTimelines({ grow: () => false, isGone: () => false });
    await expect(collected.take(days(), rows)).rejects.toThrow(StatusError);
    await expect(collected.take(days(), rows)).rejects.toMatchObject({ statusCode: 503 });
  });
});

describe('a list that an answer has twice', () => {
  it.each([
    [3, 1],
    [30, 2],
  ])('is read again instead of kept if it is long (%d pages)', async (count, reads) => {
    const pages = Array.from({ length: count }, () => [Buffer.from(JSON.stringify('x'.repeat(100_000)))]);
    let read = 0;
    const made = await rootedListOfPages(() => {
      read++;
      return pages;
    }).made();
    const body = typeof made === 'string' || Buffer.isBuffer(made) ? made : Buffer.concat(await (made as Readable).toArray());
    const { data, root } = JSON.parse(body.toString());
    expect([data.length, root, read]).toEqual([count, data, reads]);
  });
});
