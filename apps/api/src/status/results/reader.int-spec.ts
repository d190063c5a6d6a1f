import { afterEach, describe, expect, it } from '@jest/globals';
import { resultsOver } from '#api/status/results-engine/reader-parts.js';
import { readAcross, readings } from '#infra/engine/projection-runner/set-aside/partitioned-view.js';
import { PartitionSetAside, type ReadStore } from '#projections/shared/read-store.js';
import { REPORTS } from '#projections/status/reports/documents.js';
import { Cleanup } from '#test/support/cleanup.js';
import { eventually } from '#test/support/eventually.js';
import { collected, type LabEvent, labEvents, openResultsLab, type ResultsLab, TENANT } from '#test/support/status/results-lab.js';
import { daysWith, NOW, START, timelines, world } from '#test/support/status/results-world.js';

const cleanup = new Cleanup();
afterEach(() => cleanup.run());

const { groups, endpoints, metrics, point, downtimes } = labEvents;

const open = async (...events: readonly LabEvent[]): Promise<ResultsLab> => {
  const lab = await openResultsLab(NOW);
  cleanup.defer(() => lab.close());
  await lab.append(...events);
  return lab;
};

describe('the days that have results', () => {
  it('go from that of the first point to today, with and without points, whatever is asked for', async () => {
    const lab = await open(...world(point('2024-03-06T06:00:00Z', 'CRITICAL')));
    expect(await timelines(lab)).toEqual([
      '03-06: 0 MISSING, 6 CRITICAL',
      '03-07: 0 CRITICAL',
      '03-08: 0 MISSING',
      '03-09: 0 MISSING',
      '03-10: 0 MISSING',
    ]);
    expect(await timelines(lab, '2024-03-07', '2024-03-07')).toEqual(['03-07: 0 CRITICAL']);
    expect(await timelines(lab, '2024-03-08', '2024-03-07')).toEqual([]);
    expect(await timelines(lab, '2024-03-11', '2024-03-12')).toEqual([]);
    await lab.append(point('2024-03-04T06:00:00Z', 'OK'), point('2024-03-12T00:00:00Z', 'OK'));
    expect((await timelines(lab)).slice(0, 3)).toEqual(['03-04: 0 MISSING, 6 OK', '03-05: 0 OK', '03-06: 0 MISSING, 6 CRITICAL']);
    expect(await daysWith(lab)).toHaveLength(7);
  });

  it('are none while every point is of another report, group, endpoint, metric, or of a time to come', async () => {
    const lab = await open(
      ...world(
        point('2024-03-06T06:00:00Z', 'OK', { report: 'other' }),
        point('2024-03-06T06:00:00Z', 'OK', { endpoint_group: 'SITE-B' }),
        point('2024-03-06T06:00:00Z', 'OK', { host: 'h2' }),
        point('2024-03-06T06:00:00Z', 'OK', { service: 'SE' }),
        point('2024-03-06T06:00:00Z', 'OK', { metric: 'n' }),
        point('2024-03-10T12:00:01Z', 'OK'),
        point('2023-12-31T06:00:00Z', 'OK'), // nothing is expected on its day
      ),
    );
    expect(await daysWith(lab)).toEqual([]);
    lab.at('2024-03-10T12:00:01Z');
    expect(await timelines(lab)).toEqual([`03-10: 0 MISSING, ${43_201 / 3_600} OK`]);
    lab.at(NOW);
    await lab.append(point('2024-03-08T00:00:00Z', 'OK', { report: 'report-id' }));
    expect(await daysWith(lab)).toEqual(['03-08', '03-09', '03-10']);
    await lab.append(point('2024-03-07T00:00:00Z', 'OK', { endpoint_group: 'SITE-A' }));
    expect(await daysWith(lab)).toEqual(['03-07', '03-08', '03-09', '03-10']);
  });

  it('begin on another day when something else is expected', async () => {
    const lab = await open(...world(point('2024-03-06T06:00:00Z', 'OK'), point('2024-03-08T06:00:00Z', 'OK')));
    expect(await daysWith(lab)).toEqual(['03-06', '03-07', '03-08', '03-09', '03-10']);
    await lab.append(metrics('2024-03-06', { CE: ['n'] }), metrics('2024-03-08', { CE: ['m'] }));
    expect(await daysWith(lab)).toEqual(['03-08', '03-09', '03-10']);
    await lab.append(metrics('2024-03-06', { CE: ['m', 'n'] }));
    expect(await daysWith(lab)).toEqual(['03-06', '03-07', '03-08', '03-09', '03-10']);
  });

  it('begin with a point that a recomputation leaves out', async () => {
    const source = { host: 'mon', start_time: '2024-03-01T00:00:00Z', end_time: '2024-03-31T00:00:00Z' };
    const request = { start_time: '2024-03-01T00:00:00Z', end_time: '2024-03-31T00:00:00Z', exclude_monitoring_source: [source] };
    const lab = await open(
      ...world(
        point('2024-03-09T06:00:00Z', 'OK', { monitoring_host: 'mon' }),
        labEvents.recomputation('r', request),
        labEvents.recomputationMoved('r', 'approved'),
      ),
    );
    expect(await timelines(lab)).toEqual(['03-09: 0 MISSING', '03-10: 0 MISSING']);
  });

  it('are found among many endpoints and points of others', async () => {
    const hosts = Array.from({ length: 60 }, (_, index) => `host-${index}`);
    const lab = await open(
      ...world(endpoints(START, ...hosts.map((host) => ['SITE-A', 'CE', host] as const))),
      ...hosts.map((host, index) => point(`2024-03-0${1 + (index % 5)}T00:00:00Z`, 'OK', { host, report: 'other' })),
    );
    expect(await daysWith(lab)).toEqual([]);
    await lab.append(point('2024-03-04T00:00:00Z', 'OK', { host: 'host-59' }));
    expect((await daysWith(lab))[0]).toBe('03-04');
  });

  it('are found by looks at points alone until a report or its configuration changes', async () => {
    const lab = await open(...world(point('2024-03-06T06:00:00Z', 'OK'), point('2024-03-08T06:00:00Z', 'OK')));
    const looked: string[] = [];
    const view: ReadStore['view'] = (projection, floor) => {
      const inner = lab.store.view(projection, floor);
      const counted = <Call extends 'get' | 'range'>(name: Call) => ({
        value: (collection: string, of: never) => {
          looked.push(`${name} ${collection}`);
          return inner[name](collection, of);
        },
      });
      return Object.create(inner, { get: counted('get'), range: counted('range') });
    };
    const results = resultsOver(Object.create(lab.store, { view: { value: view } }), () => Date.parse(NOW));
    const read = async () => {
      looked.length = 0;
      const report = await results.report(TENANT, 'Critical');
      return report && collected(report.days({ from: '2024-03-08', to: '2024-03-08' }));
    };
    const points = ['get gone', 'range days', 'get gone', 'range days'];
    await eventually(async () => [await read(), looked.join()]).until(([, all]) => all === points.join()); // the memory ends after a second
    expect(await read()).toHaveLength(1);
    await lab.append(groups('2024-03-08', ['EU', 'SITE-B']));
    const [day] = (await read()) ?? [];
    expect(day?.groups).toEqual([]);
    const changes = ['metric', 'operations', 'aggregation', 'thresholds'].map((type) => `get ${type}_profiles.stamps`);
    expect(looked).toEqual(
      expect.arrayContaining([
        ...['get reports.by-name', ...changes, 'get weights.stamps', 'range topology_groups.days'],
        'range recomputations.in-force',
      ]),
    );
  });
});

describe('results', () => {
  it('change with points of the day on that day and the next, whatever their order', async () => {
    const points = [
      point('2024-03-04T00:00:00Z', 'OK'),
      point('2024-03-04T06:00:00Z', 'CRITICAL'),
      point('2024-03-04T06:00:00Z', 'WARNING'),
      point('2024-03-04T12:00:00Z', 'OK'),
      point('2024-03-05T09:00:00Z', 'UNKNOWN'),
    ];
    const lab = await open(...world(...points));
    const first = await timelines(lab);
    expect(first.slice(0, 3)).toEqual(['03-04: 0 OK, 6 WARNING, 12 OK', '03-05: 0 OK, 9 UNKNOWN', '03-06: 0 UNKNOWN']);
    await lab.append(point('2024-03-04T18:00:00Z', 'CRITICAL'));
    expect((await timelines(lab)).slice(0, 3)).toEqual([
      '03-04: 0 OK, 6 WARNING, 12 OK, 18 CRITICAL',
      '03-05: 0 CRITICAL, 9 UNKNOWN',
      '03-06: 0 UNKNOWN',
    ]);
    const [a, b, c, d, e] = points as [LabEvent, LabEvent, LabEvent, LabEvent, LabEvent];
    const other = await open(e, d, b, c, ...world(), a, e);
    expect(await timelines(other)).toEqual(first);
  });

  it('of today end now: later points, downtimes and windows come into effect when it is their time', async () => {
    const lab = await open(
      ...world(
        point('2024-03-10T06:00:00Z', 'OK'),
        point('2024-03-10T14:00:00Z', 'CRITICAL'),
        downtimes('2024-03-10', ['CE', 'h1', '2024-03-10T13:00:00Z', '2024-03-10T13:29:00Z']),
      ),
    );
    const today = async (instant: string) => {
      lab.at(instant);
      const [day] = await lab.days('2024-03-10', '2024-03-10');
      const group = day?.groups[0];
      return [
        day?.seconds,
        group?.timeline.map(({ at, status }) => `${at / 3_600} ${status}`).join(),
        group?.figures.uptime,
        day?.supergroups[0]?.availability,
      ];
    };
    expect(await today('2024-03-10T12:00:00Z')).toEqual([43_200, '0 MISSING,6 OK', 0.5, 100]);
    expect(await today('2024-03-10T12:30:00.999Z')).toEqual([45_000, '0 MISSING,6 OK', 0.52, 100]);
    expect(await today('2024-03-10T13:15:00Z')).toEqual([47_700, '0 MISSING,6 OK,13 DOWNTIME', 0.5283, 96.55172]);
    expect(await today('2024-03-10T15:00:00Z')).toEqual([54_000, '0 MISSING,6 OK,13 DOWNTIME,13.5 OK,14 CRITICAL', 0.5, 83.33333]);
    expect(await today('2024-03-10T12:30:00.999Z')).toEqual([45_000, '0 MISSING,6 OK', 0.52, 100]);
    lab.at('2024-03-10T00:00:00Z');
    expect(await lab.days('2024-03-10', '2024-03-10')).toEqual([]);
    lab.at('2024-03-11T00:00:00Z');
    expect((await timelines(lab)).at(-1)).toBe('03-11: 0 CRITICAL');
    expect((await lab.days('2024-03-11', '2024-03-11'))[0]).toMatchObject({ seconds: 1, groups: [{ figures: { availability: 0 } }] });
  });

  it('are those of one group where only this is asked for', async () => {
    const lab = await open(
      ...world(
        groups('2024-03-08', ['EU', 'SITE-A'], ['EU', 'SITE-B']),
        endpoints('2024-03-08', ['SITE-A', 'CE', 'h1'], ['SITE-B', 'CE', 'h2']),
        point('2024-03-07T06:00:00Z', 'OK'),
      ),
    );
    const reader = await lab.reader();
    const found = await collected(reader.details({ from: '2024-03-01', to: '2024-03-31' }, 'SITE-B'));
    expect(found.map(({ day, groups }) => [day, groups.map(({ name }) => name)])).toEqual([
      ['2024-03-08', ['SITE-B']],
      ['2024-03-09', ['SITE-B']],
      ['2024-03-10', ['SITE-B']],
    ]);
  });

  it('show the points that count of the metrics asked for, with the previous state of the day', async () => {
    const lab = await open(
      ...world(
        metrics('2024-03-01', { CE: ['m', 'n'] }),
        endpoints(START, ['SITE-A', 'CE', 'h1', { info_ID: 'i' }], ['SITE-A', 'CE', 'h2']),
        point('2024-03-07T06:00:00Z', 'OK'),
        point('2024-03-08T07:00:00Z', 'CRITICAL', { actual_data: 'a=1' }),
        point('2024-03-08T08:00:00Z', 'CRITICAL', { metric: 'other' }),
      ),
    );
    const reader = await lab.reader();
    const span = { from: '2024-03-08', to: '2024-03-08' };
    const [m] = await collected(reader.metrics(span, { metric: 'm', host: 'h1' }));
    const previous = { timestamp: '2024-03-07T06:00:00Z', status: 'OK' };
    expect(m).toEqual({
      day: '2024-03-08',
      endpoints: [
        {
          group: 'SITE-A',
          service: 'CE',
          host: 'h1',
          info: { ID: 'i' },
          metrics: [{ metric: 'm', previous, points: [{ at: 25_200, status: 'CRITICAL', actualData: 'a=1' }] }],
        },
      ],
    });
    const all = (await collected(reader.metrics(span, {}))).flatMap((part) => part.endpoints);
    expect(all.map(({ host, metrics: some }) => [host, some.map((one) => `${one.metric} ${one.points[0]?.status}`)])).toEqual([
      ['h1', ['m CRITICAL', 'n MISSING']],
      ['h2', ['m MISSING', 'n MISSING']],
    ]);
    expect(await collected(reader.metrics(span, { group: 'SITE-B' }))).toEqual([]);
    expect(await collected(reader.metrics(span, { metric: 'x' }))).toEqual([]);
  });

  it('belong to one tenant and to reports that exist', async () => {
    const lab = await open(...world(point('2024-03-07T06:00:00Z', 'OK')));
    await expect(lab.reader('other')).rejects.toThrow('no report other');
    await lab.append(labEvents.reportDeleted());
    await expect(lab.reader()).rejects.toThrow('no report Critical');
  });

  it('of a paused tenant are refused, also just after an answer over all tenants has shown its report', async () => {
    const lab = await open(...world());
    const view: ReadStore['view'] = (projection, floor) => {
      const inner = lab.store.view(projection, floor);
      const get: typeof inner.get = async (...read) => {
        if (projection === REPORTS && !readings.current?.isAcross(REPORTS)) throw new PartitionSetAside(REPORTS, `tenant:${TENANT}`);
        return inner.get(...read);
      };
      return Object.create(inner, { get: { value: get } });
    };
    const results = resultsOver(Object.create(lab.store, { view: { value: view } }), () => Date.parse(NOW));
    expect(await readAcross(() => results.report(TENANT, 'Critical'))).toBeDefined();
    await expect(results.report(TENANT, 'Critical')).rejects.toThrow(PartitionSetAside);
  });
});
