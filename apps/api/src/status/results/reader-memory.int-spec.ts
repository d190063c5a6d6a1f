import { afterEach, describe, expect, it } from '@jest/globals';
import { Cleanup } from '#test/support/cleanup.js';
import {
  collected,
  type EndpointItem,
  type GroupItem,
  type LabEvent,
  labEvents,
  openResultsLab,
} from '#test/support/status/results-lab.js';
import { EVER, world } from '#test/support/status/results-world.js';
import { runs, SEED } from '#test/support/test-runs.js';

type Lists = Readonly<Record<string, readonly string[]>>;

const STEPS = runs(60, 20);

const cleanup = new Cleanup();
afterEach(() => cleanup.run());

/** Pseudo-random numbers below a bound, reproducible by the seed. */
const randomOf = (seed: number) => {
  let state = seed + 1;
  return (bound: number): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state % bound;
  };
};

/** Any write that may affect results, around 2024-03-05. */
const anyEvents = (random: (bound: number) => number): readonly LabEvent[] => {
  const one = <Item>(...items: readonly Item[]): Item => items[random(items.length)] as Item;
  const day = () => `2024-03-0${1 + random(9)}`;
  const instant = (on = day()) => `${on}T${String(random(24)).padStart(2, '0')}:${one('00', '30')}:${one('00', '59')}Z`;
  const status = () => one('OK', 'WARNING', 'CRITICAL', 'ODD');
  const [group, service, host, metric] = [one('SITE-A', 'SITE-B'), one('CE', 'SE'), one('h1', 'h2'), one('m', 'n')];
  const place = one<object>({ group }, { group, service }, { hostname: host }, { metric }, { service, metric });
  const recomputation = one('r1', 'r2', 'r3');
  const point = () =>
    labEvents.point(instant(), status(), {
      ...{ host, service, metric, actual_data: one('load=95', 'load=5') },
      ...(random(4) === 0 && { report: one('report-id', 'other') }),
      ...(random(4) === 0 && { endpoint_group: group }),
      ...(random(4) === 0 && { monitoring_host: 'mon' }),
    });
  const [start, end] = [instant(), instant()].sort() as [string, string];
  const on = day();
  const groups: readonly GroupItem[] = [
    ['EU', 'SITE-A'],
    [one('EU', 'US'), 'SITE-B'],
  ];
  const endpoints: readonly EndpointItem[] = [
    [group, service, host, { info_ID: 'x' }],
    ['SITE-A', 'CE', 'h1'],
    ['SITE-B', 'CE', 'h2'],
    ['SITE-B', service, 'h1'],
  ];
  if (random(8) === 0) return [labEvents.groups(on, ...groups), labEvents.endpoints(on, ...endpoints)];
  const makers: readonly (() => LabEvent)[] = [
    point,
    point,
    point,
    point,
    () => labEvents.groups(on, ...(random(6) === 0 ? [] : groups)),
    () => labEvents.endpoints(on, ...endpoints.slice(random(2))),
    () => one(labEvents.groupsDeleted, labEvents.endpointsDeleted, labEvents.downtimesDeleted)(on),
    () => labEvents.downtimes(day(), [service, host, start, end], ['CE', 'h1', end, start]),
    () => labEvents.metrics(day(), one<Lists>({ CE: ['m'] }, { CE: ['m', 'n'], SE: ['m'] })),
    () => labEvents.aggregation(day(), one<Lists>({ a: ['CE'] }, { a: ['CE', 'SE'], b: ['SE'] })),
    () => labEvents.operations(day()),
    () => labEvents.thresholds(day(), { metric, thresholds: 'load=0;50:90;90:100' }),
    () => labEvents.weights(day(), { [group]: random(5) }),
    () => labEvents.report({ disabled: random(12) === 0, description: instant() }, 'ReportRevised'),
    () =>
      labEvents.recomputation(recomputation, {
        start_time: start,
        end_time: end,
        exclude: one([], [group]),
        exclude_metrics: one<readonly object[]>([], [{ metric }]),
        exclude_monitoring_source: one<readonly object[]>([], [{ host: 'mon', start_time: start, end_time: end }]),
        applied_status_changes: [{ ...place, state: status() }],
      }),
    () => labEvents.recomputationMoved(recomputation, one('approved', 'done', 'pending')),
    () => labEvents.recomputationDeleted(recomputation),
  ];
  return [one(...makers)()];
};

describe('what the reader keeps in memory', () => {
  it(`never shows: after every write and at every time it answers as one that keeps nothing (seed ${SEED})`, async () => {
    const random = randomOf(SEED);
    const lab = await openResultsLab('2024-03-09T00:00:00Z');
    cleanup.defer(() => lab.close());
    await lab.append(...world(labEvents.point('2024-03-01T12:00:00Z', 'OK')));
    expect(await lab.days(...EVER)).toHaveLength(9);
    const span = { from: EVER[0], to: EVER[1] };
    for (let step = 0; step < STEPS; step++) {
      await lab.append(...anyEvents(random));
      lab.at(`2024-03-0${5 + random(5)}T${String(random(24)).padStart(2, '0')}:00:0${random(10)}Z`);
      const [kept, fresh] = [await lab.reader(), await lab.forgetful()];
      const details = await collected(kept.details(span));
      expect(details).toEqual(await collected(fresh.details(span)));
      expect(await collected(kept.metrics(span, { host: 'h1' }))).toEqual(await collected(fresh.metrics(span, { host: 'h1' })));
    }
  });
});
