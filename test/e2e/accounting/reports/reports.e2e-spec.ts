import { beforeAll, describe, expect, it } from '@jest/globals';
import { records } from '#test/e2e/accounting/records.js';
import { accountingServing } from '#test/e2e/accounting/serving.js';
import { B, type Definition, E, instant, MARCH, type Measured, type Period, S, usage } from '#test/e2e/accounting/usage.js';
import { embedded } from '#test/support/deployments.js';

/** The worked examples of accounting contract 6.7, ten years earlier. */
describe('The report of an installation', () => {
  const scene = accountingServing(embedded);
  const make = records(() => scene.admin);
  const of = usage(() => scene.admin);
  let place: Awaited<ReturnType<typeof make.pair>>;
  let definition: Definition;
  beforeAll(async () => {
    place = await make.pair();
    definition = await make.definition();
  });

  /** @param capacities as `2021-03-11 80, 2021-03-21 120` */
  const installed = async (metrics: readonly Measured[], capacities: string): Promise<string> => {
    const { id } = await make.installation(place.project, place.provider);
    await of.record(id, metrics, definition);
    const registered = [...capacities.matchAll(/(\d\S+) (\d+)/g)].map(([, since = '', value]) => [since, Number(value)] as const);
    await of.register(id, registered, definition);
    return `${id}`;
  };
  const periodsOf = async (id: string, range = MARCH) => (await of.report(id, range)).data.flatMap(({ periods }) => periods);

  const A: readonly Measured[] = [
    ['03-02', '03-03', 40],
    ['03-31T12', '04-01', 10],
    ['03-31T20', '04-01T06', 99],
    ['02-28T23', '03-01T01', 7],
  ];
  const FIFTEEN: readonly Measured[] = [
    ['03-02', '03-03', 7.5],
    ['03-04', '03-05', '7.50'],
  ];
  const period = (from: string, to: string, total_value: number, capacity_value?: number, usage_percentage?: number): Period => {
    return { from, to, total_value, capacity_value, usage_percentage };
  };
  const inB = [
    period(S, instant('03-11'), 12),
    period(instant('03-11'), instant('03-21'), 55, 80, 68.75),
    period(instant('03-21'), E, 50, 120, 41.67),
  ];

  it.each<[name: string, metrics: readonly Measured[], capacities: string, periods: readonly Period[]]>([
    ['A: no capacities', A, '', [period(S, E, 50)]],
    ['B: two capacities', B, '2021-03-21 120, 2021-03-11 80', inB],
    ['C: capacities outside', FIFTEEN, '2020-01-01 10, 2020-06-01 20, 2021-05-01 30', [period(S, E, 15, 20, 75)]],
    ['D: a capacity of zero', FIFTEEN, '2021-01-01 0', [period(S, E, 15, 0)]],
    ['E: capacities to come', FIFTEEN, '2021-06-01 40, 2021-07-01 41', [period(S, E, 15)]],
    ['F: rounding', [['03-02', '03-03', 1]], '2021-03-01 7', [period(S, E, 1, 7, 14.29)]],
    ['a tie', [['03-02', '03-03', 1.00005]], '2021-03-01 1', [period(S, E, 1.00005, 1, 100.01)]],
    ['a small tie', [['03-02', '03-03', 0.00025]], '2021-03-01 1', [period(S, E, 0.00025, 1, 0.03)]],
    ['more than there is', [['03-02', '03-03', 30]], '2021-03-01 20', [period(S, E, 30, 20, 150)]],
    ['a capacity at the end', FIFTEEN, '2021-04-01 40', [period(S, E, 15)]],
    ['nothing in the range', [['01-02', '01-03', 5]], '', [period(S, E, 0)]],
    [
      'sums that floats get wrong',
      [
        ['03-02', '03-03', 0.1],
        ['03-02', '03-03', 0.2],
        ['03-02', '03-03', -0.3],
      ],
      '',
      [period(S, E, 0)],
    ],
    [
      'a capacity inside a day',
      [
        ['03-11T10', '03-11T12', 1],
        ['03-11T11', '03-11T13', 2],
        ['03-11T12', '03-11T13', 4],
        ['03-11', '03-11T12', 8],
        ['03-11T12', '03-12', 16],
        ['03-10', '03-12', 32],
        ['03-10', '03-11T12', 64],
        ['03-11T13', '03-20', 128],
      ],
      '2021-03-11T12:00:00Z 1000',
      [period(S, '2021-03-11T12:00:00Z', 73), period('2021-03-11T12:00:00Z', E, 148, 1000, 14.8)],
    ],
    [
      'two capacities inside a day',
      [
        ['03-11T10', '03-11T12', 1],
        ['03-11T12', '03-11T13', 2],
        ['03-11T13', '03-11T14', 4],
        ['03-11T12', '03-11T14', 8],
      ],
      '2021-03-11T12:00:00Z 10, 2021-03-11T13:00:00Z 20',
      [
        period(S, '2021-03-11T12:00:00Z', 1),
        period('2021-03-11T12:00:00Z', '2021-03-11T13:00:00Z', 2, 10, 20),
        period('2021-03-11T13:00:00Z', E, 4, 20, 20),
      ],
    ],
  ])('%s', async (_name, metrics, capacities, periods) => expect(await periodsOf(await installed(metrics, capacities))).toEqual(periods));

  it('writes totals with a fraction, and capacities as they were sent', async () => {
    const id = await installed(FIFTEEN, '2021-01-01 20');
    const { text } = await scene.admin.get(`/installations/${id}/report?${MARCH}`);
    expect(text).toContain('"total_value":15.0,"capacity_value":20,"usage_percentage":75.0}');
  });

  it('has the members of the contract, in their order', async () => {
    const { id, external_id } = await make.installation(place.project, place.provider, { infrastructure: 'infra', installation: 'the vm' });
    const empty = {
      installation_id: id,
      project: place.project,
      provider: place.provider,
      installation: 'the vm',
      infrastructure: 'infra',
    };
    const expected = { ...empty, resource: '', external_id, data: [] as object[] };
    const { text, headers } = await scene.admin.get(`/installations/${id}/report?${MARCH}`);
    expect(text).toBe(JSON.stringify(expected));
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    // Capacities alone make no report.
    await scene.admin.post(`/installations/${id}/capacities`, { metric_definition_id: definition.metric_definition_id, value: 1 });
    expect((await scene.admin.get(`/installations/${id}/report?${MARCH}`)).text).toBe(JSON.stringify(expected));
    await of.record(id, [['05-01', '05-02', 1]], definition);
    const { creator_id: _creator, ...shown } = definition;
    const entry = { ...shown, periods: [period(S, E, 0)] };
    expect(await of.report(`${id}`)).toEqual({ ...expected, data: [entry] });
    const external = await scene.admin.get(`/installations/external/report?externalId=${external_id}&${MARCH}`);
    expect(external.json).toEqual({ ...expected, data: [entry] });
  });

  it('covers part of a range, of a month, and of a day', async () => {
    const id = await installed(B, '2021-03-21 120, 2021-03-11 80');
    expect(await periodsOf(id, 'start=2021-03-12&end=2021-03-19')).toEqual([period(instant('03-12'), instant('03-19'), 30, 80, 37.5)]);
    expect(await periodsOf(id, 'start=2021-03-22&end=2021-03-23')).toEqual([period(instant('03-22'), instant('03-23'), 50, 120, 41.67)]);
    expect(await periodsOf(id, 'start=2021-03-21&end=2021-03-21')).toEqual([]);
    expect((await periodsOf(id, 'start=2020-01-01&end=2022-01-01')).map(({ total_value }) => total_value)).toEqual([12, 55, 50]);
  });

  it('follows corrections and deletions', async () => {
    const id = await installed([['03-02', '03-03', 40]], '');
    const path = `/installations/${id}/metrics`;
    const [{ id: metric } = { id: '' }] = ((await scene.admin.get(path)).json as { content: { id: string }[] }).content;
    await scene.admin.patch(`${path}/${metric}`, { value: 2 });
    expect(await periodsOf(id)).toEqual([period(S, E, 2)]);
    await scene.admin.patch(`${path}/${metric}`, { time_period_end: '2021-04-02T00:00:00Z' });
    expect(await periodsOf(id)).toEqual([period(S, E, 0)]);
    const other = await make.definition();
    await scene.admin.patch(`${path}/${metric}`, {
      time_period_end: '2021-03-04T00:00:00Z',
      metric_definition_id: other.metric_definition_id,
    });
    expect((await of.report(id)).data.map(({ metric_definition_id, periods }) => [metric_definition_id, periods])).toEqual([
      [other.metric_definition_id, [period(S, E, 2)]],
    ]);
    await scene.admin.delete(`${path}/${metric}`);
    expect((await of.report(id)).data).toEqual([]);
  });
});
