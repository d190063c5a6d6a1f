import { describe, expect, it } from '@jest/globals';
import { type BranchBody, branchesJson, branchesXml } from '#api/status/answers/branches.js';
import { DomainError } from '#domain/shared/decider.js';
import type { Day } from '#domain/shared/time.js';
import { limitText, STATUS_LIMITS } from '#domain/status/limits.js';
import type { ReportReader } from '#projections/status/results/report-reader.js';
import { pretty } from '#test/e2e/status/contract.js';
import { daysIn, givenDay } from '#test/support/results/given-days.js';
import type { CollectedTimelines, DayRow } from './collected.js';
import { collectedOrEarlier } from './reading.js';
import { endpointRows, groupRows, metricRows, resourceRows } from './rows.js';
import { endOfTimeline, endpointsBody, groupsBody, listedStatuses, resourceBody, wholeTimeline } from './views.js';

const NOW = Date.parse('2026-05-03T10:20:30.900Z') / 1_000;
const now = Math.floor(NOW);
const reader: Pick<ReportReader, 'computations'> = { computations: { ar: true, status: true, trends: [] } };
const ROOM = { grow: () => true, isGone: () => false };
const PLAIN = { flags: false };
const FLAGS = { flags: true };

const DAYS = [
  givenDay('2026-05-01', {
    B: {
      is: '!00:00 OK, 06:00 CRITICAL',
      services: {
        web: { is: '00:00 WARNING', endpoints: { h2: '00:00 OK', h1: ['!00:00 OK, 07:30 CRITICAL', { ID: '7', URL: 'u' }] } },
        CE: { is: '00:00 OK', endpoints: { h1: '00:00 UNKNOWN' } },
      },
    },
  }),
  givenDay('2026-05-02', {
    A: { is: '00:00 MISSING', services: { web: { is: '00:00 MISSING', endpoints: { h9: ['00:00 MISSING', { ID: '7' }] } } } },
    B: { is: '00:00 CRITICAL', services: { web: { is: '00:00 OK', endpoints: { h1: ['00:00 CRITICAL', { ID: '7', URL: 'other' }] } } } },
  }),
  givenDay('2026-05-03', { B: { is: '00:00 CRITICAL, 09:00 OK', services: {} } }),
];

const textOf = async (pieces: AsyncIterable<readonly (Buffer | string)[]>): Promise<string> => {
  const texts: string[] = [];
  for await (const some of pieces) texts.push(...some.map(String));
  return texts.join('');
};
const json = async (body: BranchBody): Promise<unknown> => {
  const text = await textOf(branchesJson(body));
  expect(text).toBe(pretty(JSON.parse(text)));
  return JSON.parse(text);
};
const xml = (body: BranchBody): Promise<string> => textOf(branchesXml(body));

const collected = (
  from: Day,
  to: Day,
  rowsOf: (day: (typeof DAYS)[number]) => Iterable<DayRow>,
  report = reader,
): Promise<CollectedTimelines> => collectedOrEarlier(report, { from, to }, ROOM, { daysOf: daysIn(DAYS), rowsOf });

const at = (timestamp: string, value: string, more: object = {}) => ({ timestamp: `2026-05-${timestamp}Z`, value, ...more });
const AFFECTED = { affected_by_threshold_rule: true };

describe('a status timeline', () => {
  const groups = async (from: Day, to: Day, shown = PLAIN, name?: string) =>
    (await json(groupsBody(await collected(from, to, groupRows(shown, name)), 'SITES', wholeTimeline(now)))) as { groups: unknown };

  it('has the elements of its days and one that closes the last of them', async () => {
    expect(await groups('2026-05-01', '2026-05-02', PLAIN, 'B')).toEqual({
      groups: [
        {
          name: 'B',
          type: 'SITES',
          statuses: [at('01T00:00:00', 'OK'), at('01T06:00:00', 'CRITICAL'), at('02T00:00:00', 'CRITICAL'), at('02T23:59:59', 'CRITICAL')],
        },
      ],
    });
  });

  it('ends now when its last day is today', async () => {
    const expected = [at('03T00:00:00', 'CRITICAL'), at('03T09:00:00', 'OK'), at('03T10:20:30', 'OK')];
    for (const to of ['2026-05-03', '9999-12-31'])
      expect((await groups('2026-05-03', to)).groups).toEqual([{ name: 'B', type: 'SITES', statuses: expected }]);
  });

  it('shows items by name, each up to its own last day', async () => {
    const { groups: shown } = await groups('2026-05-02', '2026-05-03');
    expect(shown).toEqual([
      { name: 'A', type: 'SITES', statuses: [at('02T00:00:00', 'MISSING'), at('02T23:59:59', 'MISSING')] },
      expect.objectContaining({ name: 'B' }),
    ]);
  });

  it('shows names in the order of their bytes, like results', async () => {
    const missing = { is: '00:00 MISSING', services: {} };
    const day = givenDay('2026-05-01', { '\u{1f600}': missing, '\uff21': missing, a: missing });
    const { root } = await collectedOrEarlier(reader, { from: day.day, to: day.day }, ROOM, {
      daysOf: daysIn([day]),
      rowsOf: groupRows(PLAIN),
    });
    expect(root.sorted.map(({ name }) => name)).toEqual(['a', '\uff21', '\u{1f600}']);
  });

  it('shows with details which days a threshold rule affected, but not at the closing element', async () => {
    expect((await groups('2026-05-01', '2026-05-01', FLAGS)).groups).toEqual([
      {
        name: 'B',
        type: 'SITES',
        statuses: [at('01T00:00:00', 'OK', AFFECTED), at('01T06:00:00', 'CRITICAL', AFFECTED), at('01T23:59:59', 'CRITICAL')],
      },
    ]);
  });

  it.each([
    ['2026-05-04', '2026-05-09', ['B']],
    ['2026-05-05', '2026-05-09', []],
    ['2026-05-02', '2026-05-01', ['B']],
    ['2026-05-04', '2026-05-02', []],
    ['0000-01-01', '0000-01-01', []],
    ['0001-01-01', '9999-12-31', ['A', 'B']],
  ])('from %s to %s begins one day earlier if there is nothing', async (from, to, names) =>
    expect((await groups(from, to)).groups).toEqual(names.map((name) => expect.objectContaining({ name }))),
  );

  it('is of the day before if the one group has nothing on the days', async () =>
    expect((await groups('2026-05-03', '2026-05-03', PLAIN, 'A')).groups).toEqual([
      { name: 'A', type: 'SITES', statuses: [at('02T00:00:00', 'MISSING'), at('02T23:59:59', 'MISSING')] },
    ]));

  it('is not there for reports that compute none', async () => {
    const report = { computations: { ar: true, status: false, trends: [] } };
    const none = await collected('2026-05-01', '2026-05-03', groupRows(PLAIN), report);
    expect(await json(groupsBody(none, 'SITES', wholeTimeline(now)))).toEqual({ groups: [] });
    expect(await xml(groupsBody(none, 'SITES', wholeTimeline(now)))).toBe('<root></root>');
  });
});

describe('endpoints', () => {
  it('have the info of their first day', async () => {
    const rows = endpointRows(FLAGS, { service: 'web', host: 'h1' });
    const body = groupsBody(await collected('2026-05-01', '2026-05-02', rows), 'SITES', wholeTimeline(now));
    const statuses = [
      at('01T00:00:00', 'OK', AFFECTED),
      at('01T07:30:00', 'CRITICAL', AFFECTED),
      at('02T00:00:00', 'CRITICAL'),
      at('02T23:59:59', 'CRITICAL'),
    ];
    const endpoints = [{ name: 'h1', info: { ID: '7', URL: 'u' }, statuses }];
    expect(await json(body)).toEqual({ groups: [{ name: 'B', type: 'SITES', services: [{ name: 'web', type: 'service', endpoints }] }] });
  });
});

type Listed = Readonly<{ endpoints: readonly Readonly<{ name: string; statuses: readonly Readonly<{ timestamp: string }>[] }>[] }>;

describe('pages of endpoints', () => {
  const page = async (size: number | undefined, offset = 0) =>
    endpointsBody(await collected('2026-05-01', '2026-05-02', endpointRows(PLAIN)), { size, offset }, now);
  /** Each endpoint with the times of its statuses. */
  const shown = ({ endpoints }: Listed) =>
    endpoints.map(({ name, statuses }) => [name, ...statuses.map(({ timestamp }) => timestamp.slice(8, 16))]);
  const token = (offset: number): string => Buffer.from(String(offset)).toString('base64');
  const [A, CE, H1, H2] = [
    ['h9', '02T00:00', '02T23:59'],
    ['h1', '01T00:00', '01T23:59'],
    ['h1', '01T00:00', '01T07:30', '02T00:00', '02T23:59'],
    ['h2', '01T00:00', '01T23:59'],
  ];

  it('cut endpoints, whose last part alone is closed', async () => {
    const first = await json(await page(4));
    expect(first).toEqual({ endpoints: expect.anything(), nextPageToken: token(4), pageSize: 4 });
    expect(shown(first as Listed)).toEqual([A, CE, H1?.slice(0, 3)]);
    const second = await json(await page(4, 4));
    expect(second).toEqual({ endpoints: expect.anything(), pageSize: 4 });
    expect(shown(second as Listed)).toEqual([['h1', '02T00:00', '02T23:59'], H2]);
    expect(await json(await page(6))).toEqual({ endpoints: expect.anything(), pageSize: 6 });
    expect(shown((await json(await page(undefined, 5))) as Listed)).toEqual([H2]);
    expect(await json(await page(5, 6))).toEqual({ endpoints: [], pageSize: 5 });
  });

  it('refuse more days than an answer may be made of', async () => {
    const most = STATUS_LIMITS.daysPerAnswer.value;
    const days = Array.from({ length: most + 1 }, (_, n) => new Date(n * 86_400_000).toISOString().slice(0, 10));
    const many = collectedOrEarlier(reader, { from: '1970-01-01', to: '2026-01-01' }, ROOM, {
      daysOf: daysIn(days.map((day) => givenDay(day, {}))),
      rowsOf: endpointRows(PLAIN),
    });
    await expect(many).rejects.toEqual(new DomainError('OVER_LIMIT', { text: limitText('daysPerAnswer') }));
  });
});

describe('metrics below their endpoints', () => {
  it('leave the info to the endpoint', async () => {
    const metrics = [
      { metric: 'm', previous: { timestamp: '2026-05-01T00:00:00Z', status: 'OK' }, points: [{ at: 60, status: 'WARNING' }] },
    ];
    const days = [{ day: '2026-05-01', endpoints: [{ group: 'A', service: 'web', host: 'h', info: { k: 'v' }, metrics }] }] as never;
    const all = await collectedOrEarlier(reader, { from: '2026-05-01', to: '2026-05-01' }, ROOM, {
      daysOf: daysIn(days),
      rowsOf: metricRows(false),
    });
    const endpoint = { name: 'h', info: { k: 'v' }, metrics: [{ name: 'm', statuses: [at('01T00:01:00', 'WARNING')] }] };
    const services = [{ name: 'web', type: 'service', endpoints: [endpoint] }];
    expect(pretty(await json(groupsBody(all, 'SITES', listedStatuses)))).toBe(pretty({ groups: [{ name: 'A', type: 'SITES', services }] }));
  });

  it('escapes times, which a migration takes as they are', async () => {
    const statuses = [{ timestamp: 'a"<b', value: 'OK' }];
    const item = { tag: 'metric', attributes: { name: 'm' }, members: { name: 'm' }, statuses };
    expect(await textOf(branchesJson({ branches: { name: 'metrics', items: [item] } }))).toContain('"timestamp": "a\\"\\u003cb"');
  });
});

describe('version 3', () => {
  it('shows the endpoints of a resource by group, service and host', async () => {
    const all = await collected('2026-05-01', '2026-05-02', resourceRows(PLAIN, '7'));
    expect(pretty(await json(resourceBody('7', all, endOfTimeline(now))))).toBe(
      pretty({
        id: '7',
        endpoints: [
          { hostname: 'h9', service: 'web', group: 'A', info: { ID: '7' }, statuses: [at('02T23:59:59', 'MISSING')] },
          { hostname: 'h1', service: 'web', group: 'B', info: { ID: '7', URL: 'u' }, statuses: [at('02T23:59:59', 'CRITICAL')] },
        ],
      }),
    );
    expect((await collected('2026-05-01', '2026-05-02', resourceRows(PLAIN, 'u'))).count).toBe(0);
  });
});
