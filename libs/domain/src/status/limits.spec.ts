import { describe, expect, it } from '@jest/globals';
import { type DatedCommand, type DatedEvent, type NamedRecord, shownSnapshot } from '#domain/status/dated-records/dated-records.js';
import { operationsProfiles, validateOperationsProfile } from '#domain/status/dated-records/operations-profiles.js';
import { thresholdsProfiles } from '#domain/status/dated-records/thresholds-profiles.js';
import { weights } from '#domain/status/dated-records/weights.js';
import { type ReportDraft, type ReportEvent, reports } from '#domain/status/reports/reports.js';
import { wireText } from '#projections/status/layout.js';
import { deciderSpec } from '#test/support/decider-spec.js';
import { limitText, Sizes, STATUS_LIMITS, type StatusLimitName, sizeWithin } from './limits.js';

const over = (name: StatusLimitName) => ['OVER_LIMIT', { text: limitText(name) }] as const;
const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index));
const uuid = (index: number): string => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;

describe('a limit', () => {
  it('names its subject and value', () => {
    expect(limitText('recordSize')).toBe('A record takes more than 5,242,880 bytes in an answer');
    for (const name of Object.keys(STATUS_LIMITS) as StatusLimitName[]) expect(limitText(name)).not.toContain('%');
  });

  it('in bytes is exact', () => {
    const size = (length: number) => sizeWithin('feedSize', { url: '<'.repeat(length) });
    const empty = Buffer.byteLength(wireText({ url: '' }, 2));
    const most = Math.floor((STATUS_LIMITS.feedSize.value - empty) / 6);
    expect(size(most)).toBe(empty + most * 6);
    expect(() => size(most + 1)).toThrow(expect.objectContaining({ code: 'OVER_LIMIT', details: { text: limitText('feedSize') } }));
  });

  it('of a total counts the current size of each record', () => {
    const sizes = new Sizes();
    const limits = { count: 'recordsPerKind', total: 'recordsSizePerKind' } as const;
    const total = STATUS_LIMITS.recordsSizePerKind.value;
    sizes.set('a', total - 10);
    sizes.set('b', 10);
    expect([sizes.count, sizes.total, sizes.of('b'), sizes.of('c')]).toEqual([2, total, 10, 0]);
    expect(() => sizes.ensureRoom('b', 10, limits)).not.toThrow();
    expect(() => sizes.ensureRoom('b', 11, limits)).toThrow(
      expect.objectContaining({ details: { text: limitText('recordsSizePerKind') } }),
    );
    expect(() => sizes.ensureRoom('c', 1, limits)).toThrow();
    sizes.delete('a');
    expect(() => sizes.ensureRoom('c', total - 10, limits)).not.toThrow();
  });
});

describe('dated records', () => {
  const given = deciderSpec(weights.decider);
  const record = (name: string) => ({ name, weight_type: '', group_type: '', groups: [] });
  const create = (id: string, one: ReturnType<typeof record>) =>
    ({ type: 'CreateRecord', id, date: '2024-01-01', record: one }) satisfies DatedCommand<NamedRecord>;
  const dated = (id: string, one: ReturnType<typeof record>, date = '2024-01-01') =>
    ({ type: 'WeightsSnapshotDated', data: { id, date, change: 'created', record: one } }) as DatedEvent<never>;

  it('may be large, up to the limit', () => {
    const [large, larger] = [record('x'.repeat(5_000_000)), record('x'.repeat(STATUS_LIMITS.recordSize.value))];
    given()
      .when(create(uuid(1), large))
      .then(dated(uuid(1), large));
    given()
      .when(create(uuid(1), larger))
      .thenRejected(...over('recordSize'));
    given(dated(uuid(1), record('a')))
      .when({ type: 'ReviseRecord', id: uuid(1), date: '2024-01-02', record: larger })
      .thenRejected(...over('recordSize'));
  });

  it('are limited in number per tenant and kind; at the limit, revisions are possible and deletions make room', () => {
    const all = times(STATUS_LIMITS.recordsPerKind.value, (index) => dated(uuid(index), record(`r${index}`)));
    const next = create('next', record('next'));
    given(...all)
      .when(next)
      .thenRejected(...over('recordsPerKind'));
    const replaced = { id: uuid(7), date: '2024-01-01', change: 'replaced', record: record('other') };
    given(...all)
      .when({ type: 'ReviseRecord', id: uuid(7), date: '2024-01-01', record: record('other') })
      .then({ type: 'WeightsSnapshotDated', data: replaced } as never);
    given(...all, { type: 'WeightsDeleted', data: { id: uuid(7) } })
      .when(next)
      .then(dated('next', next.record));
  });

  it('are limited in total size, counting the largest version of each', () => {
    const long = 'x'.repeat(4_000_000);
    const size = Buffer.byteLength(wireText(shownSnapshot({ id: uuid(0), date: '2024-01-01', record: record(long) }), 2));
    const many = Math.floor(STATUS_LIMITS.recordsSizePerKind.value / size);
    const all = times(many, (index) => dated(uuid(index), record(`${index}${long}`)));
    const smallAgain = times(many, (index) => dated(uuid(index), record(`small ${index}`), '2024-01-02'));
    const next = create('next', record(long));
    given(...all, ...smallAgain)
      .when(next)
      .thenRejected(...over('recordsSizePerKind'));
    given(...all.slice(1))
      .when(next)
      .then(dated('next', next.record));
  });

  it('have a limited list of problems', () => {
    const long = 'S'.repeat(400_000);
    const operations = times(1_000, (index) => ({ name: `${index}`, truth_table: [] }));
    const lines = validateOperationsProfile({
      name: '',
      available_states: [long, 'b'],
      defaults: { down: long, missing: long, unknown: long },
      operations,
    });
    expect(lines).toHaveLength(5);
    deciderSpec(thresholdsProfiles.decider)()
      .when({
        type: 'CreateRecord',
        id: '1',
        date: '2024-01-01',
        record: { name: '', rules: times(20_000, () => ({ metric: '', thresholds: 'x' })) },
      })
      .thenRejected('RECORD_INVALID', { lines: times(10_000, () => 'Invalid threshold: x') });
  });

  it('of operations have a limited number of states', () => {
    const states = times(1_001, (index) => `${index}`);
    deciderSpec(operationsProfiles.decider)()
      .when({
        type: 'CreateRecord',
        id: '1',
        date: '2024-01-01',
        record: { name: '', available_states: states, defaults: { down: '0', missing: '0', unknown: '0' }, operations: [] },
      })
      .thenRejected(...over('statesPerProfile'));
  });
});

describe('reports', () => {
  const given = deciderSpec(reports);
  const draft = (changes: Partial<ReportDraft>): ReportDraft => ({
    name: 'a',
    description: '',
    weight: '',
    disabled: false,
    computations: undefined,
    thresholds: undefined,
    topology_schema: '{}',
    profiles: [],
    filter_tags: [],
    ...changes,
  });
  const nested = (levels: number) => `${'{"group":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;
  const tags = (count: number, value: string, context = 'argo.group.filter.fields') =>
    times(count, () => ({ name: 'group', value, context }));
  const rejected = (name: StatusLimitName, changes: Partial<ReportDraft>) => {
    for (const type of ['CreateReport', 'ReviseReport'] as const)
      given()
        .when({ type, id: '1', report: draft(changes) })
        .thenRejected(...over(name));
  };
  const taken = (changes: Partial<ReportDraft>) =>
    expect(reports.decide({ type: 'CreateReport', id: '1', report: draft(changes) }, reports.initialState())).toHaveLength(1);

  it('have schemas with limited levels and bytes', () => {
    taken({ topology_schema: nested(32) });
    rejected('schemaLevels', { topology_schema: nested(33) });
    rejected('schemaLevels', { topology_schema: `${'{"a":'.repeat(1_000)}[${'1,'.repeat(600_000)}1]${'}'.repeat(1_000)}` });
    taken({ topology_schema: `{"a":[${'1,'.repeat(8_000)}1]}` });
    rejected('schemaSize', { topology_schema: `{"a":[${'1,'.repeat(8_500)}1]}` });
  });

  it('are limited in size and in references', () => {
    rejected('reportSize', { description: 'x'.repeat(STATUS_LIMITS.reportSize.value) });
    rejected('profilesPerReport', { profiles: times(101, () => ({ id: '', type: '', name: '' })) });
    rejected('trendsPerReport', { computations: { ar: true, status: true, trends: times(101, () => 'status') } });
    taken({ filter_tags: [...tags(500, 'plain'), ...tags(100, 'a*')] });
    rejected('patternsPerFilter', { filter_tags: tags(101, 'a*') });
    rejected('patternsPerFilter', { filter_tags: tags(1, 'a,'.repeat(100), 'argo.group.filter.tags.array') });
  });

  it('are limited in number and size per tenant', () => {
    const { computations: _c, thresholds: _t, ...rest } = draft({});
    const report = { ...rest, computations: { ar: true, status: true, trends: [] }, profiles: [] };
    const created = (index: number, changes: object = {}): ReportEvent => ({
      type: 'ReportCreated',
      data: { id: uuid(index), report: { ...report, name: `${index}`, ...changes } },
    });
    given(...times(STATUS_LIMITS.recordsPerKind.value, (index) => created(index)))
      .when({ type: 'CreateReport', id: 'next', report: draft({}) })
      .thenRejected(...over('recordsPerKind'));
    given(...times(280, (index) => created(index, { description: 'x'.repeat(240_000) })))
      .when({ type: 'CreateReport', id: 'next', report: draft({ description: 'x'.repeat(200_000) }) })
      .thenRejected(...over('recordsSizePerKind'));
  });
});
