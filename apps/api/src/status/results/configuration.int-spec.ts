import { afterEach, describe, expect, it } from '@jest/globals';
import { Cleanup } from '#test/support/cleanup.js';
import { type LabEvent, labEvents, openResultsLab, type ResultsLab } from '#test/support/status/results-lab.js';
import { daysWith, EVER, expected, NOW, START, timelines, world } from '#test/support/status/results-world.js';

const cleanup = new Cleanup();
afterEach(() => cleanup.run());

const { report, groups, endpoints, metrics, operations, aggregation, point, downtimes, weights, thresholds } = labEvents;

const open = async (...events: readonly LabEvent[]): Promise<ResultsLab> => {
  const lab = await openResultsLab(NOW);
  cleanup.defer(() => lab.close());
  await lab.append(...events);
  return lab;
};

describe('the configuration of a day', () => {
  const started = point('2024-03-01T00:00:00Z', 'OK');

  const uncomputable: readonly (readonly [string, ...LabEvent[]])[] = [
    ['a report that is disabled', report({ disabled: true }, 'ReportRevised')],
    ['a schema of one level', report({ topology_schema: '{"group":{"type":"SITES"}}' }, 'ReportRevised')],
    [
      'a schema of three levels',
      report({ topology_schema: '{"group":{"type":"PROJECT","group":{"type":"SITES","group":{"type":"X"}}}}' }, 'ReportRevised'),
    ],
    ['no aggregation profile', report({ profiles: [{ id: 'metric', name: '', type: 'metric' }] }, 'ReportRevised')],
    ['a metric profile that was deleted', labEvents.metricsDeleted()],
    ['groups that were deleted', labEvents.groupsDeleted(START)],
    ['groups that are none', groups('2024-02-01')],
    [
      'groups none of which is of the report',
      groups('2024-02-01', ['EU', 'SITE-A', { a: 'b' }]),
      report({ filter_tags: [{ context: 'argo.group.filter.tags', name: 'a', value: 'c' }] }, 'ReportRevised'),
    ],
  ];
  it.each(uncomputable)('allows no results with %s', async (_what, ...events) => {
    const lab = await open(...world(started));
    expect(await (await lab.reader()).expected('2024-03-05')).toBeDefined();
    expect(await daysWith(lab)).toHaveLength(10);
    await lab.append(...events);
    expect(await (await lab.reader()).expected('2024-03-05')).toBeUndefined();
    expect(await daysWith(lab)).toEqual([]);
  });

  it('does without endpoints: there are days, and no groups', async () => {
    const lab = await open(...world(started));
    await lab.append(groups('2024-03-08', ['EU', 'SITE-A']));
    expect(
      (await lab.days('2024-03-07', '2024-03-09')).map(({ day, groups, supergroups }) => [day, groups.length, supergroups.length]),
    ).toEqual([
      ['2024-03-07', 1, 1],
      ['2024-03-08', 0, 0],
      ['2024-03-09', 0, 0],
    ]);
    expect(await (await lab.reader()).expected('2024-03-09')).toBeDefined();
  });

  it('has the snapshots with the greatest day up to it, so that a dated write changes the days up to the next one', async () => {
    const lab = await open(...world(started));
    await lab.append(metrics('2024-03-04', { CE: ['m', 'n'] }), metrics('2024-03-07', { CE: ['m', 'o', 'o'], SE: ['x'] }));
    const of = async () =>
      Promise.all(['2023-12-31', '2024-03-03', '2024-03-04', '2024-03-06', '2024-03-07', '2024-04-01'].map((day) => expected(lab, day)));
    expect(await of()).toEqual([
      undefined,
      ['SITE-A CE h1 m'],
      ['SITE-A CE h1 m,n'],
      ['SITE-A CE h1 m,n'],
      ['SITE-A CE h1 m,o'],
      ['SITE-A CE h1 m,o'],
    ]);
    const before = await lab.days(...EVER);
    await lab.append(
      operations('2024-03-05', { available_states: ['A'], defaults: { down: 'A', missing: 'A', unknown: 'A' }, operations: [] }),
    );
    await lab.append(operations('2024-03-07'));
    const after = await lab.days(...EVER);
    expect(after.filter((day, index) => JSON.stringify(day) !== JSON.stringify(before[index])).map(({ day }) => day)).toEqual([
      '2024-03-05',
      '2024-03-06',
    ]);
    expect(after[4]?.groups[0]?.timeline).toEqual([{ at: 0, status: 'A' }]);
  });

  it('follows the report as it is now, also on days long gone; the last profile of a type counts', async () => {
    const lab = await open(...world(started, metrics(START, { CE: ['m', 'p'] }, 'second')));
    expect(await expected(lab, '2024-03-02')).toEqual(['SITE-A CE h1 m']);
    const profiles = ['metric', 'operations', 'aggregation', 'second'].map((id) => ({
      id,
      name: id,
      type: id === 'second' ? 'metric' : id,
    }));
    await lab.append(report({ profiles }, 'ReportRevised'));
    expect(await expected(lab, '2024-03-02')).toEqual(['SITE-A CE h1 m,p']);
    await lab.append(labEvents.metricsDeleted('second'));
    expect(await expected(lab, '2024-03-02')).toBeUndefined();
    await lab.append(metrics('2024-03-08', { CE: ['m'] }, 'second'));
    expect(await daysWith(lab)).toEqual([]);
    await lab.append(point('2024-03-09T00:00:00Z', 'OK'));
    expect(await daysWith(lab)).toEqual(['03-09', '03-10']);
  });

  it('takes the groups of the closest day and the endpoints of that same day', async () => {
    const lab = await open(...world(started, endpoints('2024-03-03', ['SITE-A', 'CE', 'h2'])));
    expect(await expected(lab, '2024-03-05')).toEqual(['SITE-A CE h1 m']);
    await lab.append(
      groups('2024-03-03', ['EU', 'SITE-A']),
      groups('2024-03-06', ['EU', 'SITE-B']),
      endpoints('2024-03-06', ['SITE-B', 'CE', 'h3']),
    );
    expect(await Promise.all(['02', '03', '05', '06'].map((day) => expected(lab, `2024-03-${day}`)))).toEqual([
      ['SITE-A CE h1 m'],
      ['SITE-A CE h2 m'],
      ['SITE-A CE h2 m'],
      ['SITE-B CE h3 m'],
    ]);
    await lab.append(labEvents.endpointsDeleted('2024-03-03'), endpoints('2024-03-03', ['SITE-A', 'CE', 'h4'], ['SITE-C', 'CE', 'h5']));
    expect(await expected(lab, '2024-03-05')).toEqual(['SITE-A CE h4 m']);
  });

  it('wants endpoints whose service is aggregated and has metrics, each once, of the groups and tags of the report', async () => {
    const lab = await open(
      ...world(
        report(
          {
            filter_tags: [
              { context: 'argo.endpoint.filter.tags', name: 'scope', value: 'EGI*' },
              { context: 'argo.group.filter.fields', name: 'group', value: '~US' },
            ],
          },
          'ReportRevised',
        ),
        groups(
          '2024-03-01',
          ['EU', 'SITE-B'],
          ['EU', 'SITE-A'],
          ['EU', 'SITE-A'],
          ['ALL', 'SITE-A'],
          ['ALL', 'EMPTY'],
          ['US', 'SITE-U'],
          ['NONE', 'EMPTY'],
        ),
        metrics('2024-03-01', { CE: ['z', 'm'], SE: ['s'], UI: [], ZZ: ['m'] }),
        aggregation('2024-03-01', { computing: ['CE', 'UI'], storage: ['SE', 'CE'] }),
        endpoints(
          '2024-03-01',
          ['SITE-B', 'SE', 'h2', { scope: 'EGI', info_ID: 'x', info_empty: '', information: 'y' }],
          ['SITE-B', 'CE', 'h2', { scope: 'EGI-2' }],
          ['SITE-B', 'CE', 'h1', { scope: 'EGI', info_URL: 'first' }],
          ['SITE-B', 'CE', 'h1', { scope: 'EGI', info_URL: 'second' }],
          ['SITE-A', 'CE', 'h1', { scope: 'EGI' }],
          ['SITE-A', 'CE', 'h9', { scope: 'other' }],
          ['SITE-A', 'UI', 'h1', { scope: 'EGI' }],
          ['SITE-A', 'ZZ', 'h1', { scope: 'EGI' }],
          ['SITE-U', 'CE', 'h1', { scope: 'EGI' }],
          ['EMPTY', 'ZZ', 'h1', { scope: 'EGI' }],
        ),
        started,
      ),
    );
    expect(await expected(lab, '2024-03-02')).toEqual(['SITE-A CE h1 m,z', 'SITE-B CE h1 m,z', 'SITE-B CE h2 m,z', 'SITE-B SE h2 s']);
    const [day] = await lab.days('2024-03-02', '2024-03-02');
    expect(day?.supergroups.map(({ name, groups: names }) => [name, names])).toEqual([
      ['ALL', ['SITE-A']],
      ['EU', ['SITE-A', 'SITE-B']],
    ]);
    const infos = day?.groups.flatMap(({ services }) => services.flatMap((service) => service.endpoints.map(({ info }) => info)));
    expect(infos).toEqual([undefined, { URL: 'first' }, undefined, { ID: 'x' }]);
  });

  it('has the downtimes of exactly the day', async () => {
    const lab = await open(...world(started, point('2024-03-04T00:00:00Z', 'OK')));
    const before = await timelines(lab);
    await lab.append(
      downtimes(
        '2024-03-04',
        ['CE', 'h1', '2024-03-03T22:00:00Z', '2024-03-04T01:59:00Z'],
        ['CE', 'h1', '2024-03-04T22:00:00Z', '2024-03-05T02:00:00Z'],
        ['CE', 'h1', '2024-03-04T21:00:00Z', '2024-03-04T23:00:00Z'],
        ['CE', 'h1', '2024-03-04T21:30:00Z', '2024-03-04T22:00:00Z'],
        ['CE', 'h1', '2024-03-04T10:00:00Z', 'soon'],
        ['CE', 'h2', '2024-03-04T10:00:00Z', '2024-03-04T11:00:00Z'],
        ['SE', 'h1', '2024-03-04T10:00:00Z', '2024-03-04T11:00:00Z'],
      ),
    );
    const during = await timelines(lab);
    expect(during.filter((line, index) => line !== before[index])).toEqual(['03-04: 0 DOWNTIME, 2 OK, 21 DOWNTIME']);
    await lab.append(labEvents.downtimesDeleted('2024-03-04'));
    expect(await timelines(lab)).toEqual(before);
  });

  it('weighs groups by the snapshot of the day, and applies its thresholds', async () => {
    const lab = await open(
      ...world(
        groups('2024-03-01', ['EU', 'SITE-A'], ['EU', 'SITE-B']),
        endpoints('2024-03-01', ['SITE-A', 'CE', 'h1'], ['SITE-B', 'CE', 'h2']),
        point('2024-03-07T00:00:00Z', 'OK', { actual_data: 'load=95' }),
        point('2024-03-07T00:00:00Z', 'CRITICAL', { host: 'h2' }),
        point('2024-03-08T00:00:00Z', 'OK', { actual_data: 'load=95' }),
        point('2024-03-08T00:00:00Z', 'CRITICAL', { host: 'h2' }),
        weights('2024-03-08', { 'SITE-A': 3 }),
        thresholds('2024-03-09', { metric: 'm', thresholds: 'load=0;50:90;90:100' }),
        point('2024-03-09T00:00:00Z', 'OK', { actual_data: 'load=95' }),
      ),
    );
    const found = await lab.days('2024-03-07', '2024-03-09');
    expect(found.map(({ supergroups }) => supergroups[0]?.availability)).toEqual([50, 80, 0]);
    expect(found.map(({ groups: [a] }) => a?.flagged)).toEqual([false, false, true]);
  });

  it('has recomputations of the name of the report that are approved, running or done, in the order of their requests', async () => {
    const lab = await open(...world(point('2024-03-04T00:00:00Z', 'OK'), point('2024-03-05T00:00:00Z', 'OK')));
    const before = await timelines(lab);
    const changed = async () => (await timelines(lab)).filter((line, index) => line !== before[index]);
    const change = (id: string, start: string, end: string, state: string, other: object = {}) =>
      labEvents.recomputation(id, { start_time: start, end_time: end, applied_status_changes: [{ group: 'SITE-A', state }], ...other });
    await lab.append(
      change('a', '2024-03-04T20:00:00Z', '2024-03-05T03:59:59Z', 'UNKNOWN'),
      change('b', '2024-03-05T02:00:00Z', '2024-03-05T05:59:59Z', 'WARNING'),
      change('c', '2024-03-04T00:00:00Z', '2024-03-05T06:00:00Z', 'CRITICAL', { report: 'Other' }),
      labEvents.recomputationMoved('c', 'approved'),
    );
    expect(await changed()).toEqual([]);
    await lab.append(labEvents.recomputationMoved('b', 'done'));
    expect(await changed()).toEqual(['03-05: 0 OK, 2 WARNING, 6 OK']);
    await lab.append(labEvents.recomputationMoved('a', 'running'));
    expect(await changed()).toEqual(['03-04: 0 OK, 20 UNKNOWN', '03-05: 0 UNKNOWN, 2 WARNING, 6 OK']);
    await lab.append(labEvents.recomputationMoved('b', 'pending'), labEvents.recomputationMoved('a', 'approved'));
    expect(await changed()).toEqual(['03-04: 0 OK, 20 UNKNOWN', '03-05: 0 UNKNOWN, 4 OK']);
    await lab.append(labEvents.recomputationMoved('a', 'rejected'), labEvents.recomputationMoved('b', 'approved'));
    expect(await changed()).toEqual(['03-05: 0 OK, 2 WARNING, 6 OK']);
    await lab.append(labEvents.recomputationDeleted('b'));
    expect(await changed()).toEqual([]);
  });

  const names = (count: number) => Array.from({ length: count }, (_, index) => `n${index}`);
  const request = { start_time: '2024-03-02T00:00:00Z', end_time: '2024-03-02T12:00:00Z', exclude: names(20_001) };
  const tooLarge: readonly (readonly [string, ...LabEvent[]])[] = [
    ['more than 10,000 names of metrics', metrics(START, { CE: names(10_001) })],
    [
      'exceed 1,000,000 items',
      metrics(START, { CE: names(10_000) }),
      endpoints(START, ...names(101).map((host) => ['SITE-A', 'CE', host] as const)),
    ],
    ['more than 20,000 items', labEvents.recomputation('r', request), labEvents.recomputationMoved('r', 'done')],
  ];
  it.each(tooLarge)('is refused where it would take too long: %s', async (text, ...events) => {
    const points = ['h1', 'n0'].map((host) => point('2024-03-01T00:00:00Z', 'OK', { host, metric: 'n0' }));
    const lab = await open(...world(started), ...events, ...points);
    await expect(lab.days('2024-03-02', '2024-03-02')).rejects.toMatchObject({
      code: 'OVER_LIMIT',
      details: { text: expect.stringContaining(text) },
    });
    expect(await (await lab.reader()).expected('2024-03-02')).toBeDefined();
  });
});
