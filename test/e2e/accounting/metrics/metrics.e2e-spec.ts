import { beforeAll, describe, expect, it } from '@jest/globals';
import { expectCreated, expectRecord, PUBLIC_URL, records } from '#test/e2e/accounting/records.js';
import {
  accountingServing,
  entitlement,
  expectMessage,
  FORBIDDEN,
  OBJECT_ID,
  pageIn,
  UNKNOWN_OBJECT_ID,
} from '#test/e2e/accounting/serving.js';
import { deployments, embedded } from '#test/support/deployments.js';

const [START, END] = ['2024-03-02T00:00:00Z', '2024-03-03T00:00:00Z'];
const FUTURE = '2999-01-01T00:00:00Z';
const EMPTY = 'The request body is empty.';
const MALFORMED = 'HTTP 400 Bad Request';
const IN_FUTURE = 'Timestamp cannot be after the current date-time.';
const EQUAL = 'Timestamp of the starting date time cannot be equal to Timestamp of the end date time.';
const REVERSED = 'Timestamp of the starting date time cannot be after of Timestamp of the end date time.';
const END_BEFORE = 'Timestamp of the end date time cannot be before of Timestamp of the starting date time.';
const noMetric = (id: string) => `There is no Metric with the following id: ${id}`;
const noDefinition = (id: string) => `There is no Metric Definition with the following id: ${id}`;
const notZulu = (bound: 'start' | 'end', value: unknown) => `time_period_${bound} must be a valid zulu timestamp. found: ${value}`;

const environment = { LOGBOOK_PUBLIC_URL: PUBLIC_URL };

describe('A metric', () => {
  const scene = accountingServing(embedded, environment);
  const make = records(() => scene.admin);
  let place: Awaited<ReturnType<typeof make.pair>>;
  let [definition, path, id] = ['', '', ''];
  beforeAll(async () => {
    await scene.trustTokens();
    place = await make.pair();
    definition = `${(await make.definition()).metric_definition_id}`;
    id = `${(await make.installation(place.project, place.provider)).id}`;
    path = `/installations/${id}/metrics`;
  });
  const body = (changes: object = {}) => ({ metric_definition_id: definition, time_period_start: START, time_period_end: END, ...changes });
  const shown = (changes: object = {}) => ({ metric_id: expect.stringMatching(OBJECT_ID), ...body({ value: 0 }), ...changes });
  const record = async (changes: object = {}): Promise<string> => {
    const answer = await scene.admin.post(path, body(changes));
    expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
    return (answer.json as { metric_id: string }).metric_id;
  };

  it.each<[object, object]>([
    [{}, {}],
    [{ value: null, group_id: null }, {}],
    [{ value: 40, metric_id: 'x', id: 'y', project: 'z' }, { value: 40 }],
    [
      { value: '1.5', group_id: 'g', user_id: 'u' },
      { value: 1.5, group_id: 'g', user_id: 'u' },
    ],
    [
      { value: -1e-3, group_id: 5, user_id: true },
      { value: -0.001, group_id: '5', user_id: 'true' },
    ],
    [
      { time_period_start: '2024-03-02T01:02:03.45Z', time_period_end: '2024-03-02T01:02:03.4567Z' },
      { time_period_start: '2024-03-02T01:02:03.450Z', time_period_end: '2024-03-02T01:02:03.456Z' },
    ],
    [
      { time_period_start: '2024-03-01T23:00:00.000001+00:00', time_period_end: '2024-03-01T24:00:00Z' },
      { time_period_start: '2024-03-01T23:00:00Z', time_period_end: '2024-03-02T00:00:00Z' },
    ],
  ])('with %j is recorded and read', async (changes, expected) => {
    const created = await scene.admin.post(path, body(changes));
    const { metric_id } = created.json as { metric_id: string };
    expectCreated(created, `${path}/${metric_id}`, shown(expected));
    const read = await scene.admin.get(`${path}/${metric_id}`);
    expectRecord(read, 200, shown(expected));
    expect(read.text).toBe(created.text);
  });

  it('has a value with a fraction, and exactly that value', async () => {
    const [whole, long] = [await record({ value: 40 }), await record({ value: '0.12345678901234567890' })];
    expect((await scene.admin.get(`${path}/${whole}`)).text).toContain('"value":40.0}');
    expect((await scene.admin.get(`${path}/${long}`)).text).toContain('"value":0.1234567890123456789}');
  });

  it.each<[string, object | string | undefined, number, string]>([
    ['nothing', undefined, 400, EMPTY],
    ['blanks', ' ', 400, EMPTY],
    ['many blanks', ' \r\n\t'.repeat(1_000), 400, EMPTY],
    ['null and many blanks', `${' '.repeat(1_000)}null${'\n'.repeat(1_000)}`, 400, EMPTY],
    ['no JSON', '{', 400, MALFORMED],
    ['a value of more than 308 digits', `{"value":1${'0'.repeat(309)}}`, 400, 'A number may have at most 308 digits before its point.'],
    ['no definition', {}, 400, 'metric_definition_id may not be empty.'],
    ['an empty definition', { metric_definition_id: '' }, 400, 'metric_definition_id may not be empty.'],
    ['an unknown definition', { metric_definition_id: 'nosuch' }, 404, noDefinition('nosuch')],
    ['a definition that may be', { metric_definition_id: UNKNOWN_OBJECT_ID }, 404, noDefinition(UNKNOWN_OBJECT_ID)],
  ])('is not recorded from a body with %s', async (_what, given, status, message) =>
    expectMessage(await scene.admin.post(path, given), status, message),
  );

  it.each<[object, string]>([
    [{ time_period_start: undefined, time_period_end: undefined }, 'time_period_start may not be empty.'],
    [{ time_period_start: 'bad', time_period_end: null }, 'time_period_end may not be empty.'],
    [{ time_period_start: 'bad', time_period_end: 'worse' }, notZulu('start', 'bad')],
    [{ time_period_start: FUTURE, time_period_end: '2024-02-30T00:00:00Z' }, notZulu('end', '2024-02-30T00:00:00Z')],
    [{ time_period_end: FUTURE }, IN_FUTURE],
    [{ time_period_end: '2024-03-02T00:00:00.000Z' }, EQUAL],
    [{ time_period_start: END, time_period_end: START }, REVERSED],
  ])('is not recorded for %j', async (changes, message) => expectMessage(await scene.admin.post(path, body(changes)), 400, message));

  it.each<[object, object]>([
    [{}, {}],
    [{ value: null, metric_definition_id: '', group_id: null, time_period_start: '', time_period_end: null }, {}],
    [
      { value: '7.25', group_id: '', user_id: 'w' },
      { value: 7.25, group_id: '', user_id: 'w' },
    ],
    [{ time_period_start: '2024-03-02T12:00:00Z' }, { time_period_start: '2024-03-02T12:00:00Z' }],
    [{ time_period_end: '2024-03-05T02:00:00+02:00' }, { time_period_end: '2024-03-05T00:00:00Z' }],
  ])('is corrected by %j', async (changes, expected) => {
    const metric = await record({ value: 3, group_id: 'g', user_id: 'u' });
    const after = { ...shown({ value: 3, group_id: 'g', user_id: 'u' }), ...expected };
    expectRecord(await scene.admin.patch(`${path}/${metric}`, changes), 200, after);
    expectRecord(await scene.admin.get(`${path}/${metric}`), 200, after);
  });

  it('can be given another definition', async () => {
    const [metric, other] = [await record({ metric_definition_id: definition.toUpperCase() }), await make.definition()];
    expectRecord(await scene.admin.get(`${path}/${metric}`), 200, shown());
    const { metric_definition_id } = other;
    expectRecord(await scene.admin.patch(`${path}/${metric}`, { metric_definition_id }), 200, shown({ metric_definition_id }));
    expectMessage(await scene.admin.patch(`${path}/${metric}`, { metric_definition_id: 'x' }), 404, noDefinition('x'));
  });

  it.each<[object, string]>([
    [{ time_period_start: 'bad', time_period_end: 'worse' }, notZulu('start', 'bad')],
    [{ time_period_end: '2024-03-02' }, notZulu('end', '2024-03-02')],
    [{ time_period_start: '2024-03-04T00:00:00Z' }, REVERSED],
    [{ time_period_end: '2024-03-01T00:00:00Z' }, END_BEFORE],
    [{ time_period_end: FUTURE }, IN_FUTURE],
    [{ time_period_start: END }, EQUAL],
  ])('is not corrected by %j', async (changes, message) => {
    const metric = await record();
    expectMessage(await scene.admin.patch(`${path}/${metric}`, changes), 400, message);
    expectRecord(await scene.admin.get(`${path}/${metric}`), 200, shown());
  });

  it('is deleted', async () => {
    const metric = await record();
    expectMessage(await scene.admin.delete(`${path}/${metric}`), 200, 'Metric has been deleted successfully.');
    for (const answer of [
      await scene.admin.get(`${path}/${metric}`),
      await scene.admin.patch(`${path}/${metric}`, { value: 1 }),
      await scene.admin.delete(`${path}/${metric}`),
    ])
      expectMessage(answer, 404, noMetric(metric));
  });

  it('is found under its installation only', async () => {
    const metric = await record();
    const other = `/installations/${(await make.installation(place.project, place.provider)).id}/metrics`;
    for (const [base, unknown] of [
      [other, metric],
      [path, 'x'],
      [path, UNKNOWN_OBJECT_ID],
    ]) {
      expectMessage(await scene.admin.get(`${base}/${unknown}`), 404, noMetric(`${unknown}`));
      expectMessage(await scene.admin.patch(`${base}/${unknown}`), 404, noMetric(`${unknown}`));
      expectMessage(await scene.admin.delete(`${base}/${unknown}`), 404, noMetric(`${unknown}`));
    }
    expectMessage(await scene.admin.patch(`${path}/${metric}`), 400, EMPTY);
    const missing = 'There is no Installation with the following id: x';
    expectMessage(await scene.admin.post('/installations/x/metrics', '{"value":1}'), 404, missing);
    expectMessage(await scene.admin.get(`/installations/x/metrics/${metric}`), 404, missing);
    expectMessage(await scene.admin.get('/installations/x/metrics?page=0'), 404, missing);
    expectMessage(await scene.admin.post('/installations/x/metrics', '{'), 400, MALFORMED);
  });

  it('is recorded once under an Idempotency-Key, whoever comes later', async () => {
    const options = { headers: { 'idempotency-key': 'once' } };
    expectMessage(await scene.admin.post(path, body({ time_period_end: START }), options), 400, EQUAL);
    const call = () => scene.admin.post(path, body({ value: 9 }), options);
    const [first, ...others] = await Promise.all([call(), call(), call()]);
    const { metric_id } = first.json as { metric_id: string };
    await scene.admin.patch(`${path}/${metric_id}`, { value: 10 });
    for (const answer of [first, ...others, await call()])
      expectCreated(answer, `${path}/${metric_id}`, { ...shown({ value: 9 }), metric_id });
    expect((await scene.admin.post(path, body({ value: 8 }), options)).status).toBe(422);
    expectRecord(await scene.admin.get(`${path}/${metric_id}`), 200, { ...shown({ value: 10 }), metric_id });
  });

  it('is recorded by the external id of its installation', async () => {
    const { id: external, external_id } = await make.installation(place.project, place.provider);
    const route = `/installations/external/metrics?externalId=${external_id}`;
    const created = await scene.admin.post(route, body({ value: 2 }));
    const { metric_id } = created.json as { metric_id: string };
    expectCreated(created, `/installations/external/metrics/${metric_id}`, shown({ value: 2 }));
    expectRecord(await scene.admin.get(`/installations/${external}/metrics/${metric_id}`), 200, shown({ value: 2 }));
    expectMessage(await scene.admin.post('/installations/external/metrics', body()), 400, 'externalId may not be empty.');
    expectMessage(await scene.admin.post('/installations/external/metrics?externalId='), 400, 'externalId may not be empty.');
    expectMessage(
      await scene.admin.post('/installations/external/metrics?externalId=x', body()),
      404,
      'There is no Installation with external id: x',
    );
    expectMessage(await (await scene.caller('n')).post(route), 403, FORBIDDEN);
    expectMessage(await scene.admin.post(route), 400, EMPTY);
  });

  it('is refused to others before page, id and body are checked', async () => {
    const nobody = await scene.caller('n', entitlement('admin', 'other'));
    expectMessage(await nobody.get(`${path}?page=0`), 403, FORBIDDEN);
    expectMessage(await nobody.get(`${path}/x`), 403, FORBIDDEN);
    expectMessage(await nobody.post(path), 403, FORBIDDEN);
  });

  it('keeps its installation and its definition from being changed until it is deleted', async () => {
    const { id: own } = await make.installation(place.project, place.provider);
    const { metric_definition_id: used } = await make.definition();
    const { metric_id } = await make.metric(own, used);
    expect((await scene.admin.delete(`/installations/${own}`)).status).toBe(403);
    expect((await scene.admin.delete(`/metric-definitions/${used}`)).status).toBe(409);
    await scene.admin.delete(`/installations/${own}/metrics/${metric_id}`);
    expect((await scene.admin.delete(`/metric-definitions/${used}`)).status).toBe(200);
    expect((await scene.admin.delete(`/installations/${own}`)).status).toBe(200);
  });
});

describe.each(deployments)('Metrics on %s', (_name, open) => {
  const scene = accountingServing(open, environment);
  const make = records(() => scene.admin);

  it('are recorded, listed, reported, corrected, and deleted with their project', async () => {
    const { project, provider } = await make.pair();
    const [{ id }, definition] = [await make.installation(project, provider), await make.definition()];
    const { metric_id } = await make.metric(id, definition.metric_definition_id);
    await scene.admin.post(`/installations/${id}/capacities`, {
      metric_definition_id: definition.metric_definition_id,
      value: 4,
      registered_on: '2023-01-01',
    });
    const totals = async () => {
      const { json } = await scene.admin.get(`/installations/${id}/report?start=2024-01-01&end=2024-01-02`);
      return (json as { data: readonly { periods: readonly object[] }[] }).data.map(({ periods }) => periods);
    };
    const period = { from: '2024-01-01T00:00:00Z', to: '2024-01-02T00:00:00Z', capacity_value: 4 };
    expect(await totals()).toEqual([[{ ...period, total_value: 1, usage_percentage: 25 }]]);
    await scene.admin.patch(`/installations/${id}/metrics/${metric_id}`, { value: 3 });
    expect(await totals()).toEqual([[{ ...period, total_value: 3, usage_percentage: 75 }]]);
    const page = pageIn(await scene.admin.get(`/projects/${project}/metrics`));
    expect(page.content.map(({ id, value }) => [id, value])).toEqual([[metric_id, 3]]);
    await scene.admin.delete(`/admin/projects/${project}`);
    expect((await scene.admin.delete(`/metric-definitions/${definition.metric_definition_id}`)).status).toBe(200);
  });
});
