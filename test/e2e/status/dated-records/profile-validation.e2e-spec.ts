import { beforeAll, describe, expect, it } from '@jest/globals';
import { serving } from '#test/e2e/serving.js';
import { invalidProfile, type Profile, pretty, profile } from '#test/e2e/status/contract.js';
import { ADMIN, embedded } from '#test/support/deployments.js';
import { idOf, recordsOf, registerTenant } from '#test/support/status-client.js';

const key = 'profiles-admin';

describe('operations profiles', () => {
  const scene = serving(embedded);
  let knownId: string;
  beforeAll(async () => {
    await registerTenant(scene.status, ADMIN, 'profiles', ['admin']);
    knownId = idOf(await scene.status.post('/operations_profiles', { key, body: profile('known') }));
  });
  const statement = (a: string, b: string, x = a) => ({ a, b, x });
  const expectInvalid = async (changes: Partial<Profile>, ...details: string[]) => {
    const body = profile('validated', changes);
    for (const answer of [
      await scene.status.post('/operations_profiles', { key, body }),
      await scene.status.put(`/operations_profiles/${knownId}`, { key, body }),
    ])
      expect([answer.status, answer.text]).toEqual([422, pretty(invalidProfile(...details))]);
  };
  const expectValid = async (changes: Partial<Profile>) => {
    const body = profile('validated', changes);
    const answer = await scene.status.post('/operations_profiles', { key, body });
    expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
    const [{ id: _id, date: _date, ...record } = {}] = recordsOf(await scene.status.get(`/operations_profiles/${idOf(answer)}`, { key }));
    expect(record).toEqual(body);
    await scene.status.delete(`/operations_profiles/${idOf(answer)}`, { key });
  };

  it('are told everything that is wrong at once, in the order of the passes', () =>
    expectInvalid(
      {
        available_states: ['OK', 'CRITICAL', 'OK', 'OK'],
        defaults: { down: 'DOWN', unknown: 'OK' },
        operations: [
          { name: 'AND', truth_table: [{ a: 'OK', b: 'CRITICAL', x: 'BAD' }] },
          { name: 'OR', truth_table: [statement('NO', 'OK', 'OK'), statement('OK', 'OK')] },
          { name: 'AND', truth_table: [] },
          { name: 'AND', truth_table: [{}] },
        ],
      },
      'State:OK is duplicated',
      'State:OK is duplicated',
      'State:OK is duplicated',
      'Operation:AND is duplicated',
      'Operation:AND is duplicated',
      'Operation:AND is duplicated',
      'Default Down State: DOWN not in available States',
      'Default Missing State:  not in available States',
      'In Operation: AND, statement member x: BAD contains undeclared state',
      'In Operation: OR, statement member a: NO contains undeclared state',
      ...['a', 'b', 'x'].map((member) => `In Operation: AND, statement member ${member}:  contains undeclared state`),
      'Not enough mentions of state:CRITICAL in operation: AND',
      'Not enough mentions of state:OK in operation: AND',
      'Not enough mentions of state:CRITICAL in operation: OR',
      'Not enough mentions of state:CRITICAL in operation: AND',
      'Not enough mentions of state:OK in operation: AND',
      'Not enough mentions of state:CRITICAL in operation: AND',
      'Not enough mentions of state:OK in operation: AND',
    ));

  it('report duplicates by pairs, the earlier one first', () =>
    expectInvalid(
      { available_states: ['b', 'a', 'b', 'a'], defaults: { down: 'a', missing: 'a', unknown: 'b' }, operations: [] },
      'State:b is duplicated',
      'State:a is duplicated',
    ));

  it('list states by their bytes, not by UTF-16 units or alphabet', () => {
    const states = ['😀', '\uffff', 'b', 'é', 'B', '__proto__', 'constructor'];
    return expectInvalid(
      { available_states: states, defaults: { down: 'b', missing: 'b', unknown: 'b' }, operations: [{ name: '<OR>', truth_table: [] }] },
      ...['B', '__proto__', 'b', 'constructor', 'é', '\uffff', '😀'].map(
        (state) => `Not enough mentions of state:${state} in operation: <OR>`,
      ),
    );
  });

  it('count a statement with twice the same state twice, results never, and start anew for each operation', async () => {
    const states = { available_states: ['A', 'B', 'C'], defaults: { down: 'A', missing: 'B', unknown: 'C' } };
    const enough = [statement('A', 'A'), statement('B', 'C', 'A'), statement('C', 'B', 'A')];
    await expectValid({ ...states, operations: [{ name: 'X', truth_table: enough }] });
    await expectInvalid(
      {
        ...states,
        operations: [
          { name: 'X', truth_table: enough },
          { name: 'Y', truth_table: [statement('A', 'A', 'C'), statement('B', 'A', 'C'), statement('B', 'A', 'C')] },
        ],
      },
      'Not enough mentions of state:C in operation: Y',
    );
    await expectInvalid(
      { ...states, operations: [{ name: 'X', truth_table: [...enough.slice(1), { a: 'A', b: 'Z', x: 'A' }] }] },
      'In Operation: X, statement member b: Z contains undeclared state',
      'Not enough mentions of state:A in operation: X',
    );
  });

  it('need no mention of a single state, nor any operation; without states only the defaults are wrong', async () => {
    const single = { available_states: ['A'], defaults: { down: 'A', missing: 'A', unknown: 'A' } };
    await expectValid({ ...single, operations: [{ name: '', truth_table: [] }] });
    await expectValid({ ...single, operations: [] });
    await expectInvalid(
      { available_states: [], defaults: {}, operations: [{ name: 'X', truth_table: [] }] },
      ...['Down', 'Missing', 'Unknown'].map((which) => `Default ${which} State:  not in available States`),
    );
  });

  it('of metrics and aggregations may lack a description and a namespace, and OpenAPI says so', async () => {
    const { components } = (await scene.root.get('/openapi.json')).json as {
      components: Readonly<{ schemas: Readonly<Record<string, Readonly<{ required: readonly string[] }>>> }>;
    };
    const required = (noun: string) => components.schemas[`Status${noun}Request`]?.required;
    expect(required('MetricProfile')).toEqual(['name', 'services']);
    const members = ['name', 'endpoint_group', 'metric_operation', 'profile_operation', 'metric_profile', 'groups'];
    expect(required('AggregationProfile')).toEqual(members);
    const shown = async (path: string, body: object) => {
      const id = idOf(await scene.status.post(path, { key, body }));
      return { id, record: recordsOf(await scene.status.get(`${path}/${id}`, { key }))[0] };
    };
    const metric = await shown('/metric_profiles', { name: 'm', services: [] });
    expect(metric.record).toMatchObject({ description: '' });
    const operations = { metric_operation: 'AND', profile_operation: 'AND' };
    const aggregation = { name: 'a', endpoint_group: 'SITES', ...operations, metric_profile: { id: metric.id }, groups: [] };
    expect((await shown('/aggregation_profiles', aggregation)).record).toMatchObject({ namespace: '' });
  });

  it('are not judged by operation names, symmetry, contradictions or repeated pairs', () =>
    expectValid({
      available_states: ['A,B', ' '],
      defaults: { down: ' ', missing: ' ', unknown: 'A,B' },
      operations: [{ name: 'my own', truth_table: [statement('A,B', ' '), statement('A,B', ' ', ' '), statement('A,B', ' ')] }],
    }));
});
