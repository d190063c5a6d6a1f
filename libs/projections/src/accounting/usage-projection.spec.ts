import { describe, expect, it } from '@jest/globals';
import type { CapacityEvent } from '#domain/accounting/capacities/capacity-events.js';
import type { Metric, MetricEvent } from '#domain/accounting/metrics/metric-events.js';
import { objectId } from '#domain/accounting/object-id.js';
import { type Documents, type GivenEvent, projectionSpec, textsAfter } from '#test/support/projection-spec.js';
import { capacitiesCodec } from './capacities/codec.js';
import { repeatedKey } from './metrics/documents.js';
import { shortId } from './short-id.js';
import { metricsProjection } from './usage-projection.js';

/** Names of collections in the store. */
const c = {
  installations: 'installations',
  projects: 'projects',
  definitions: 'definitions',
  capacities: 'capacities',
  metrics: 'metrics',
  ofProject: 'metrics.of-project',
  ofSeries: 'metrics.of-series',
  repeated: 'metrics.repeated',
  users: 'users',
  ofMember: 'metrics.of-member',
  members: 'members',
  recorded: 'metrics.recorded',
  months: 'months',
  days: 'days',
  measures: 'measures',
};

const given = projectionSpec(metricsProjection);

const content = { organisation: 'v', infrastructure: 'i', installation: 'vm', resource: null, unitOfAccess: null };
const installed = (installationId = 'x', projectId = 'p', organisation = 'v'): GivenEvent => ({
  type: 'InstallationCreated',
  data: { projectId, generation: 1, installationId, externalId: 'e', creatorId: 'me', ...content, organisation },
});
const deleted = (installationId: string): GivenEvent => ({
  type: 'InstallationDeleted',
  data: { projectId: 'p', generation: 1, installationId },
});
const projectDeleted: GivenEvent = { type: 'ProjectDeleted', data: { projectId: 'p' } };

/** An id generated on the evening of 2031-05-04. */
const ID = objectId(Date.parse('2031-05-04T23:59:59.999Z'), '0'.repeat(16));
/** An id generated the next morning. */
const NEXT = objectId(Date.parse('2031-05-05T00:00:00.000Z'), '0'.repeat(16));
const THIRD = objectId(Date.parse('2031-05-05T00:00:01.000Z'), '0'.repeat(16));
const copies = { projectAcronym: 'P', installation: 'vm', infrastructure: 'i', resource: null, creatorId: 'me' };
const metric = (changes: Partial<Metric> = {}): Metric => ({
  metricId: ID,
  projectId: 'p',
  providerId: 'v',
  installationId: 'x',
  definitionId: 'd',
  periodStart: '2031-02-28T12:00:00.000Z',
  periodEnd: '2031-03-02T00:00:00.000Z',
  value: '1.50',
  groupId: null,
  userId: null,
  ...changes,
});
const recorded = (changes: Partial<Metric> = {}): MetricEvent => ({ type: 'MetricRecorded', data: { ...metric(changes), ...copies } });
const revised = (before: Metric, changes: Partial<Metric>): MetricEvent => ({
  type: 'MetricRevised',
  data: { ...before, ...changes, before },
});

/** Places of the second and third event. */
const [SECOND, NEXT_PLACE] = ['1k', '1u'];
const repeated = { definitionId: 'd', providerId: 'v', ...copies };
const REPEATED = repeatedKey(repeated);
const KEY = shortId(ID);
const unused = { [c.installations]: { 'p/x': { providerId: 'v', definitions: {} } } };
/** Remain with the installation. */
const ofRepeated = { [c.repeated]: { [`p/~x/${REPEATED}`]: repeated } };
/** Likewise. */
const ofUser = { [c.users]: { 'p/~x/~key-of-u': { in: '~x', userId: 'u' } } };

/** Stored text of a metric, with such a group and user. */
const textOfMetric = (group: string, user: string): string =>
  `["${KEY}","~x",${Date.parse('2031-02-28T12:00:00Z') / 1_000},${36 * 3_600},"1.50","${REPEATED}",${group},${user}]`;

/** All documents of a metric that is recorded second. */
const traces = (series = SECOND): Documents => ({
  ...ofRepeated,
  [c.installations]: { 'p/x': { providerId: 'v', definitions: { d: { count: 1, series } } } },
  [c.projects]: { p: { d: 1 } },
  [c.definitions]: { 'd/p': true },
  [c.ofProject]: {
    [`p/${SECOND}`]: {
      id: ID,
      installationId: 'x',
      from: '2031-02-28T12:00:00.000Z',
      to: '2031-03-02T00:00:00.000Z',
      value: '1.50',
      repeated: REPEATED,
    },
  },
  [c.recorded]: { 'p/2031-05-04': 1 },
  [c.metrics]: { [`p/${KEY}`]: [SECOND, REPEATED] },
  [c.ofSeries]: { [`p/${series}/${SECOND}`]: true },
  [c.months]: { 'p/~x/a/~d/203102': '2031-03 1 1.5' },
  [c.days]: { 'p/~x/a/~d/203102203103': '28 01 1 1.5' },
  [c.measures]: { [`p/${series}/2031022820310301/${SECOND}`]: true },
});

describe('metrics', () => {
  it('are stored singly, in lists and in sums', () => given(installed(), recorded()).then(traces()));

  it('are also listed, counted and summed for their group and user', () =>
    given(installed(), recorded({ groupId: 'g/1', userId: 'u', userKey: 'key-of-u' })).thenCollections({
      [c.ofMember]: { [`p/g${SECOND}/${SECOND}`]: true, [`p/u${SECOND}/${SECOND}`]: true },
      [c.members]: { 'p/gg%2F1': { count: 1, series: `g${SECOND}` }, 'p/u~key-of-u': { count: 1, series: `u${SECOND}` } },
      [c.months]: Object.fromEntries(['a', 'gg%2F1', 'u~key-of-u'].map((member) => [`p/~x/${member}/~d/203102`, '2031-03 1 1.5'])),
      ...ofUser,
    }));

  it('leave no documents but repeated members and users when they are removed', () => {
    const all = metric({ groupId: 'g', userId: 'u', userKey: 'key-of-u' });
    given(installed(), recorded(all), { type: 'MetricRemoved', data: all }).then({ ...unused, ...ofRepeated, ...ofUser });
  });

  it('leave no documents but repeated members and users when they are removed after the key of their user was destroyed', () => {
    const known = metric({ groupId: 'g', userId: 'u', userKey: 'key-of-u' });
    given(installed(), recorded(known), { type: 'MetricRemoved', data: { ...known, userId: null } }).then({
      ...unused,
      ...ofRepeated,
      ...ofUser,
    });
  });

  it('have the same documents after a revision as if they had been recorded that way', () => {
    const before = metric({ definitionId: 'other', groupId: 'g', periodStart: '2030-01-01T00:00:00.000Z', value: '7' });
    const { groupId, definitionId, periodStart, value } = metric();
    const others = { ...repeated, definitionId: 'other' };
    const { [c.repeated]: ofMetric, ...all } = traces(NEXT_PLACE);
    const kept = { [c.repeated]: { ...ofMetric, [`p/~x/${repeatedKey(others)}`]: others } };
    given(installed(), recorded(before), revised(before, { groupId, definitionId, periodStart, value })).then({ ...all, ...kept });
  });

  it('have the user that they got by a revision, and an empty one', () => {
    const [before, after] = [metric({ userId: '' }), { userId: 'u', userKey: 'key-of-u' }];
    given(installed(), recorded(before)).thenText(c.ofProject, `p/${SECOND}`, textOfMetric('null', '""'));
    const documents = textsAfter(metricsProjection, [installed(), recorded(before), revised(before, after)]);
    expect(documents[c.ofProject]?.[`p/${SECOND}`]).toBe(textOfMetric('null', '"~key-of-u"'));
    expect(documents[c.users]).toEqual({ 'p/~x/~key-of-u': '{"in":"~x","userId":"u"}' });
  });

  it('have the user again whose key was destroyed before users had pseudonyms', () =>
    given(installed(), recorded({ userId: 'gone' })).thenCollections({ [c.users]: { 'p/~x/~': { in: '~x', userId: 'gone' } } }));

  it('are summed exactly', () =>
    given(
      installed(),
      recorded({ value: '0.1' }),
      recorded({ metricId: NEXT, value: '0.2' }),
      recorded({ metricId: THIRD, value: '-1e-20' }),
    ).thenCollections({
      [c.months]: { 'p/~x/a/~d/203102': '2031-03 3 0.29999999999999999999' },
      [c.projects]: { p: { d: 1 } },
    }));

  it('are summed by the unit of their end within the unit of their beginning', () => {
    const shorter = metric({ metricId: NEXT, periodEnd: '2031-03-01T00:00:00.000Z', value: '2' });
    given(installed(), recorded(), recorded(shorter), recorded({ ...shorter, metricId: THIRD })).thenCollections({
      [c.months]: { 'p/~x/a/~d/203102': '2031-02 2 4\n2031-03 1 1.5\n28 28 2 4' },
      [c.days]: { 'p/~x/a/~d/203102203103': '28 01 1 1.5' },
    });
    given(installed(), recorded(), recorded(shorter), { type: 'MetricRemoved', data: shorter }).thenCollections({
      [c.months]: { 'p/~x/a/~d/203102': '2031-03 1 1.5' },
      [c.days]: { 'p/~x/a/~d/203102203103': '28 01 1 1.5' },
    });
  });

  it('are counted by the day on which they were recorded, until they are removed', () => {
    const [second, third] = [metric({ metricId: NEXT }), metric({ metricId: THIRD })];
    const removed: MetricEvent = { type: 'MetricRemoved', data: second };
    const events = [installed(), recorded(), recorded(second), recorded(third), revised(third, { value: '2' }), removed] as const;
    given(...events).thenCollections({ [c.recorded]: { 'p/2031-05-04': 1, 'p/2031-05-05': 1 } });
  });

  it('leave no documents if their installation was deleted', () => {
    given(recorded()).then({});
    given(installed(), deleted('x'), recorded(), revised(metric(), { value: '2' }), { type: 'MetricRemoved', data: metric() }).then({});
  });

  it('are deleted with their project, without affecting others', () => {
    const others = [installed('y', 'pp'), recorded({ projectId: 'pp', installationId: 'y' })];
    const all = recorded({ groupId: 'g', userId: 'u', userKey: 'key-of-u' });
    const [kept, both] = [others, [installed(), ...others, all, capacity, projectDeleted]].map((events) =>
      Object.values(textsAfter(metricsProjection, events as readonly GivenEvent[])).flatMap(Object.keys),
    );
    expect(both?.length).toBe(kept?.length);
    expect(both?.every((key) => key.includes('pp'))).toBe(true);
  });

  it('do not count for their project if they were recorded between the decision to delete their installation and its deletion', () =>
    given(
      installed(),
      installed('y'),
      recorded(),
      recorded({ metricId: NEXT, installationId: 'y', definitionId: 'e' }),
      deleted('x'),
    ).thenCollections({
      [c.projects]: { p: { e: 1 } },
      [c.definitions]: { 'e/p': true },
      [c.installations]: { 'p/y': { providerId: 'v', definitions: { e: { count: 1, series: expect.any(String) } } } },
      [c.months]: { 'p/~y/a/~e/203102': expect.anything() },
    }));
});

describe('metrics recorded while the records to which they refer were closed', () => {
  const ofInstallation = { projectId: 'p', generation: 1, installationId: 'x' };
  const shut = (closing = 'c'): GivenEvent => ({ type: 'InstallationClosed', data: { ...ofInstallation, closing } });
  const opened: GivenEvent = { type: 'InstallationReopened', data: { ...ofInstallation, closing: 'c' } };
  const changed: GivenEvent = { type: 'InstallationRevised', data: { ...ofInstallation, ...content } };
  const definitionShut = (definitionId = 'd', closing = 'c'): GivenEvent => ({
    type: 'MetricDefinitionClosed',
    data: { definitionId, closing },
  });
  const definitionOpened: GivenEvent = { type: 'MetricDefinitionReopened', data: { definitionId: 'd', closing: 'c' } };
  const values = { metric_name: 'n', metric_description: null, unit_type: 'TB', metric_type: 'count' };
  const definitionChanged: GivenEvent = { type: 'MetricDefinitionRevised', data: { definitionId: 'd', ...values } };
  const numbers = (...events: readonly GivenEvent[]): unknown => textsAfter(metricsProjection, events)[c.projects]?.p;

  it('are void if the definition was closed', () => {
    expect(numbers(installed(), definitionShut(), recorded())).toBeUndefined();
    expect(numbers(installed(), definitionShut('other'), recorded())).toBe('{"d":1}');
    expect(numbers(installed(), recorded(), definitionShut(), recorded({ metricId: NEXT }))).toBe('{"d":1}');
  });

  it.each([['reopened', definitionOpened] as const, ['changed', definitionChanged] as const])(
    'count again once the definition is %s',
    (_, ending) => {
      expect(numbers(installed(), definitionShut(), recorded(), ending, recorded({ metricId: NEXT }))).toBe('{"d":1}');
      expect(numbers(installed(), definitionShut(), ending, definitionShut('d', 'e'), recorded())).toBeUndefined();
    },
  );

  it('are void according to their position in the log, even if they are applied later', () => {
    const late = { ...recorded(), position: 15n };
    const open = { ...recorded({ metricId: NEXT }), position: 45n };
    const events = [
      { ...installed(), position: 1n },
      { ...definitionShut(), position: 10n },
      { ...definitionOpened, position: 20n },
      { ...definitionShut('d', 'e'), position: 50n },
    ];
    expect(numbers(...events, late)).toBeUndefined();
    expect(numbers(...events, open)).toBe('{"d":1}');
    expect(numbers(...events, { ...recorded({ metricId: THIRD }), position: 60n })).toBeUndefined();
  });

  it('are void if the installation was closed, until it is reopened or changed', () => {
    expect(numbers(installed(), shut(), recorded())).toBeUndefined();
    for (const ending of [opened, changed])
      expect(numbers(installed(), shut(), recorded(), ending, recorded({ metricId: NEXT }))).toBe('{"d":1}');
    expect(numbers(installed('y'), installed(), shut(), recorded({ installationId: 'y' }))).toBe('{"d":1}');
  });

  it('leave no documents, even after later events about them', () => {
    const events = [
      installed(),
      definitionShut(),
      recorded(),
      revised(metric(), { value: '2' }),
      { type: 'MetricRemoved', data: metric({ value: '2' }) },
    ] as const;
    expect(Object.keys(textsAfter(metricsProjection, events)).sort()).toEqual(['definitions.closed', c.installations]);
  });

  it('keep the earlier data of the installation', () =>
    given(installed(), recorded(), shut(), opened).thenCollections({
      [c.installations]: { 'p/x': { providerId: 'v', definitions: { d: { count: 1, series: SECOND } } } },
    }));

  it('are compared with the latest twenty closings of a definition', () => {
    const often = Array.from({ length: 30 }, (_, n) => [definitionShut('d', `${n}`), definitionOpened]).flat();
    const spans: readonly unknown[] = JSON.parse(textsAfter(metricsProjection, often)['definitions.closed']?.d ?? '[]');
    expect(spans).toHaveLength(20);
    expect(spans.at(-1)).toEqual({ closing: '29', from: '00000000000000000590', to: '00000000000000000600' });
  });
});

const capacity: CapacityEvent = {
  type: 'CapacityRegistered',
  data: {
    projectId: 'p',
    installationId: 'x',
    capacityId: 'k',
    definitionId: 'd',
    value: '12345678901234567890.10',
    registeredOn: '2031-03-11T00:00:00.000Z',
  },
};
const second: CapacityEvent = {
  type: 'CapacityRegistered',
  data: { ...capacity.data, capacityId: 'l', value: '1e3', registeredOn: '2031-01-01T00:00:00.120Z' },
};

describe('capacities', () => {
  it('are stored in the format of their list, in order of creation', () =>
    given(installed(), capacity, second).thenText(
      c.capacities,
      'p/x',
      '[{"id":"k","installation_id":"x","metric_definition_id":"d","value":12345678901234567890.1,"registered_on":"2031-03-11T00:00:00Z"},' +
        '{"id":"l","installation_id":"x","metric_definition_id":"d","value":1000,"registered_on":"2031-01-01T00:00:00.120Z"}]',
    ));

  it('keep their position in the list when they are revised', () =>
    given(installed(), capacity, second, {
      type: 'CapacityRevised',
      data: { projectId: 'p', installationId: 'x', capacityId: 'k', value: '7', registeredOn: '2031-04-01T00:00:00.000Z' },
    }).thenCollections({
      [c.capacities]: {
        'p/x': [
          { id: 'k', installation_id: 'x', metric_definition_id: 'd', value: '7', registered_on: '2031-04-01T00:00:00.000Z' },
          { id: 'l', installation_id: 'x', metric_definition_id: 'd', value: '1000', registered_on: '2031-01-01T00:00:00.120Z' },
        ],
      },
    }));

  it('keep all digits when they are read again', () => {
    const list = [
      {
        id: 'k',
        installation_id: 'x',
        metric_definition_id: 'd',
        value: '0.1234567890123456789',
        registered_on: '2031-04-01T00:00:00.001Z',
      },
    ];
    expect(capacitiesCodec.decode(capacitiesCodec.encode(list))).toEqual(list);
    expect(capacitiesCodec.decode('[]')).toEqual([]);
  });

  it('are deleted with their installation', () => {
    given(installed(), capacity, deleted('x')).then({});
    given(installed(), deleted('x'), capacity).then({});
  });
});

describe('installations', () => {
  it('are stored with their provider', () =>
    given(installed(), {
      type: 'InstallationRevised',
      data: { projectId: 'p', generation: 1, installationId: 'x', ...content, organisation: 'w' },
    }).then({ [c.installations]: { 'p/x': { providerId: 'w', definitions: {} } } }));
});
