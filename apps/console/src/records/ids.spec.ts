import { describe, expect, it } from '@jest/globals';
import { linesWithIds, meantBy, spotIn, type ValuePlace } from './ids.js';

/** The record that each id in a value stands for, by its path. */
const meantIn = (spot: ValuePlace, value: unknown, path = ''): Readonly<Record<string, unknown>> => {
  const meant = meantBy(spot, value);
  if (meant) return { [path]: meant };
  if (typeof value !== 'object' || value === null) return {};
  return Object.assign({}, ...Object.entries(value).map(([name, part]) => meantIn(spotIn(spot, value, name), part, `${path}/${name}`)));
};

const record = (service: string, kind: string, id: string, scope?: string) => ({ service, kind, id, ...(scope && { scope }) });

describe('ids in records', () => {
  it('stand for records of the service whose kind the member names', () => {
    const data = { projectId: 'p', providerId: 'v', installationId: 'i', definitionId: 'd', resourceId: 'r', before: { providerId: 'w' } };
    expect(meantIn({ service: 'accounting' }, data)).toEqual({
      '/projectId': record('accounting', 'project', 'p'),
      '/providerId': record('accounting', 'provider', 'v'),
      '/installationId': record('accounting', 'installation', 'i'),
      '/definitionId': record('accounting', 'metric_definition', 'd'),
      '/resourceId': record('accounting', 'resource', 'r'),
      '/before/providerId': record('accounting', 'provider', 'w'),
    });
    expect(meantIn({ service: 'accounting' }, { organisation: 'v', metric_definition_id: 'd' })).toEqual({
      '/organisation': record('accounting', 'provider', 'v'),
      '/metric_definition_id': record('accounting', 'metric_definition', 'd'),
    });
    expect(meantIn({ service: 'status' }, { tenantId: 't', reportId: 'r', userIds: ['a', 'b'], feed: { tenants: ['t'] } })).toEqual({
      '/tenantId': record('status', 'tenant', 't'),
      '/reportId': record('status', 'report', 'r'),
      '/userIds/0': record('status', 'user', 'a'),
      '/userIds/1': record('status', 'user', 'b'),
      '/feed/tenants/0': record('status', 'tenant', 't'),
    });
    expect(meantIn({ service: 'ops' }, { keyId: 'k', userId: 'u' })).toEqual({
      '/keyId': record('ops', 'key', 'k'),
      '/userId': record('messaging', 'user', 'u'),
    });
  });

  it('of a messaging project need its id, which stands beside them, around them, or in the name of the stream', () => {
    const topic = record('messaging', 'topic', 't', 'p');
    expect(meantIn({ service: 'messaging', project: 'p' }, { topicId: 't', subscriptionId: 's', schemaId: null })).toEqual({
      '/topicId': topic,
      '/subscriptionId': record('messaging', 'subscription', 's', 'p'),
    });
    const project = record('messaging', 'project', 'p');
    expect(meantIn({ service: 'messaging' }, { projectId: 'p', cursor: { topicId: 't' } })).toEqual({
      '/projectId': project,
      '/cursor/topicId': topic,
    });
    expect(meantIn({ service: 'ops' }, { projectId: 'p', topicId: 't' })).toEqual({ '/projectId': project, '/topicId': topic });
    expect(meantIn({ service: 'status' }, { tenantId: 'x', done: [{ topicId: 't' }] })).toEqual({
      '/tenantId': record('status', 'tenant', 'x'),
    });
  });

  it('that are just `id` stand for what the member around them names', () => {
    const report = {
      id: 'r',
      profiles: [
        { id: 'm', type: 'metric' },
        { id: 'a', type: 'aggregation' },
      ],
      users: [{ id: 'u' }],
    };
    expect(meantIn({ service: 'status' }, report)).toEqual({
      '/profiles/0/id': record('status', 'metric_profile', 'm'),
      '/profiles/1/id': record('status', 'aggregation_profile', 'a'),
      '/users/0/id': record('status', 'user', 'u'),
    });
    expect(meantIn({ service: 'status' }, { '2026-01-15': { metric_profile: { id: 'm' } } })).toEqual({
      '/2026-01-15/metric_profile/id': record('status', 'metric_profile', 'm'),
    });
  });

  it('are full names of messaging, too, wherever they stand', () => {
    const data = { topic: '/projects/p/topics/t', deadLetterPolicy: { deadLetterTopic: 'projects/p/topics/lost' }, names: ['projects/p'] };
    expect(meantIn({ service: 'messaging' }, data)).toEqual({
      '/topic': { fullName: '/projects/p/topics/t' },
      '/deadLetterPolicy/deadLetterTopic': { fullName: 'projects/p/topics/lost' },
      '/names/0': { fullName: 'projects/p' },
    });
    const others = {
      ackId: 'projects/p/subscriptions/s:7',
      schema: 'projects/p/schemas/s',
      path: '/v1/projects/p/topics/t',
      more: 'projects/p/topics/t/u',
    };
    expect(meantIn({ service: 'messaging' }, { ...others, short: 'projects/', slash: 'projects/p/topics/' })).toEqual({});
  });

  it('of others are none: free texts, marks, and names that only look alike', () => {
    const accounting = {
      creator_id: 'r',
      user_id: 'u',
      group_id: 'g',
      tenant_id: 't',
      client_id: 'c',
      externalId: 'e',
      typeId: 'y',
      projectId: '',
      valid: 'v',
    };
    expect(meantIn({ service: 'accounting' }, accounting)).toEqual({});
    expect(meantIn({ service: 'status' }, { tenantId: '[personal]', userId: 7, messageId: 'm', topology: { id: 'x' } })).toEqual({});
    expect(meantIn({ service: 'integrity' }, { keyId: 'k' })).toEqual({});
  });

  it('are found in the lines of a value as text', () => {
    const before = { organisation: 'v"1', tags: ['t'], profiles: [] };
    const found = linesWithIds({ service: 'accounting' }, before, { organisation: 'w' }, null);
    expect([...found]).toEqual([
      ['"organisation": "v\\"1"', { id: 'v"1', meant: record('accounting', 'provider', 'v"1') }],
      ['"organisation": "w"', { id: 'w', meant: record('accounting', 'provider', 'w') }],
    ]);
    expect([...linesWithIds({ service: 'status', member: 'tenants' }, ['t']).keys()]).toEqual(['"t"']);
  });
});
