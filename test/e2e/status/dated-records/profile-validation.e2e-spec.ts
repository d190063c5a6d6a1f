import { beforeAll, describe, expect, it } from '@jest/globals';
import { serving } from '#test/e2e/serving.js';
import { invalidProfile, pretty, profile } from '#test/e2e/status/contract.js';
import { ADMIN, embedded } from '#test/support/deployments.js';
import { idOf, recordsOf, registerTenant } from '#test/support/status-client.js';

const key = 'profiles-admin';

describe('operations profiles', () => {
  const scene = serving(embedded);
  beforeAll(() => registerTenant(scene.status, ADMIN, 'profiles', ['admin']));
  const statement = (a: string, b: string, x = a) => ({ a, b, x });

  it('are told everything that is wrong at once, in the order of the passes', async () => {
    const body = profile('validated', {
      available_states: ['OK', 'CRITICAL', 'OK', 'OK'],
      defaults: { down: 'DOWN', unknown: 'OK' },
      operations: [
        { name: 'AND', truth_table: [{ a: 'OK', b: 'CRITICAL', x: 'BAD' }] },
        { name: 'OR', truth_table: [statement('NO', 'OK', 'OK'), statement('OK', 'OK')] },
        { name: 'AND', truth_table: [] },
        { name: 'AND', truth_table: [{}] },
      ],
    });
    const expected = invalidProfile(
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
    );
    const known = idOf(await scene.status.post('/operations_profiles', { key, body: profile('known') }));
    for (const answer of [
      await scene.status.post('/operations_profiles', { key, body }),
      await scene.status.put(`/operations_profiles/${known}`, { key, body }),
    ])
      expect([answer.status, answer.text]).toEqual([422, pretty(expected)]);
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
});
