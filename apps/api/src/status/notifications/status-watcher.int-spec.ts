import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { limitText, overLimit } from '#domain/status/limits.js';
import {
  type FoundChange,
  type StatusChangesFound,
  statusChanges,
  streamOfStatusChanges,
} from '#domain/status/notifications/status-changes.js';
import { type AnnouncedDocument, NotificationQueries, type SettingsDocument } from '#projections/status/notifications/queries.js';
import { ReportQueries } from '#projections/status/reports/queries.js';
import { type LabEvent, labEvents, openResultsLab, type ResultsLab, TENANT } from '#test/support/status/results-lab.js';
import { START, world } from '#test/support/status/results-world.js';
import { type LookMemory, StatusWatcher } from './status-watcher.js';

const DAY = '2024-03-10';
const { point, recomputation, recomputationMoved, downtimes, downtimesDeleted, endpoints, endpointsDeleted, groups, groupsDeleted } =
  labEvents;
const instant = (second: number): string => new Date(Date.parse(`${DAY}T10:00:00Z`) + second * 1_000).toISOString();
const zulu = (second: number): string => `${instant(second).slice(0, 19)}Z`;
const SETTINGS: SettingsDocument = { projectId: 'p', topic: 't', levels: ['group', 'service', 'endpoint', 'metric'], epoch: 1 };

type Told = readonly (AnnouncedDocument | undefined)[];

/** Findings for a tenant as time passes, in seconds after ten o'clock. */
class Watched {
  now = 0;
  private readonly told: FoundChange[] = [];
  private readonly last = new Map<string, StatusChangesFound>();
  private readonly watcher: StatusWatcher;
  private memory: LookMemory = new Map();
  /** Happens during the next look. */
  meanwhile: readonly LabEvent[] = [];
  /** Problem of the last look. */
  problem: string | undefined;

  /** Groups and parts of the announced statuses that the looks have read. */
  private read: string[] = [];

  constructor(private readonly lab: ResultsLab) {
    const { store, results } = lab;
    const [queries, reports] = [new NotificationQueries(store), new ReportQueries(store)];
    const noted = <Args extends readonly unknown[], Found>(
      read: (...args: Args) => Promise<Found>,
      documentsIn: (found: Found) => Told,
    ) => {
      return async (...args: Args): Promise<Found> => {
        await this.happens(...this.meanwhile);
        this.meanwhile = [];
        const found = await read(...args);
        this.read.push(...documentsIn(found).flatMap((one) => (one ? [`${one.group} ${one.part}`.trim()] : [])));
        return found;
      };
    };
    queries.told = noted(queries.told.bind(queries), (found) => [...found.values()].flat());
    queries.lastTold = noted(queries.lastTold.bind(queries), (found) => found);
    const clock = () => Date.parse(instant(this.now));
    this.watcher = new StatusWatcher({
      queries,
      reports,
      results,
      store,
      clock,
      record: async (command) => {
        const stream = streamOfStatusChanges(command);
        const last = this.last.get(stream);
        const state = last ? statusChanges.evolve(statusChanges.initialState(), last) : statusChanges.initialState();
        const events = statusChanges.decide(command, state);
        for (const event of events) {
          this.last.set(stream, event);
          this.told.push(...event.data.changes);
          await this.happens({ ...event, stream } as LabEvent);
        }
        return events.length > 0;
      },
    });
  }

  async happens(...events: readonly LabEvent[]): Promise<void> {
    await this.lab.append(...events.map((event) => ({ ...event, time: instant(this.now) })));
  }

  /** Findings at that second. */
  async at(second: number, settings = SETTINGS): Promise<readonly FoundChange[]> {
    this.now = second;
    this.lab.at(instant(second));
    this.problem = (await this.watcher.look(TENANT, settings, this.memory, new AbortController().signal))?.message;
    return this.told.splice(0);
  }

  /** Groups of announced statuses, each with its part, that the next look reads: sorted. */
  async readAt(second: number): Promise<readonly string[]> {
    this.read = [];
    await this.at(second);
    return this.read.sort();
  }

  /** Another process announces that the group SITE-A has this status. */
  async elsewhere(second: number, status: string): Promise<void> {
    const group = { tenantId: TENANT, reportId: 'report-id', group: 'SITE-A' };
    const stream = streamOfStatusChanges(group);
    const { number = 0, epoch = SETTINGS.epoch } = this.last.get(stream)?.data ?? {};
    const seen = [{ level: 'group', service: '', hostname: '', metric: '', status, since: zulu(second) }] as const;
    const found = { report: 'Critical', seen, gone: [], changes: [] };
    const event: StatusChangesFound = { type: 'StatusChangesFound', data: { ...group, epoch, number: number + 1, ...found } };
    this.last.set(stream, event);
    await this.happens({ ...event, stream } as LabEvent);
  }

  /** Reports and endpoints in memory. */
  get remembered(): number {
    return [...this.memory.values()].reduce((sum, { digests }) => sum + digests.size, this.memory.size);
  }

  /** From here on another process looks. */
  restart(): void {
    this.memory = new Map();
  }
}

const brief = (changes: readonly FoundChange[]) =>
  changes.map(({ level, previous, status, since, repeat }) =>
    [level, previous, status, since.slice(11, 19), ...(repeat ? ['again'] : [])].join(' '),
  );
const LEVELS = ['metric', 'endpoint', 'service', 'group'];
const atAll = (previous: string, status: string, second: number) =>
  LEVELS.map((level) => `${level} ${previous} ${status} ${zulu(second).slice(11, 19)}`);

let lab: ResultsLab;
let watched: Watched;
beforeEach(async () => {
  lab = await openResultsLab(instant(0));
  watched = new Watched(lab);
  await watched.happens(...world(point(zulu(-600), 'OK')));
  expect(await watched.at(0)).toEqual([]);
});
afterEach(() => lab.close());

describe('a look', () => {
  it('finds each change of metric, endpoint, service and group, in order, none merged: 400 changes are 400 of each level', async () => {
    const told: string[] = [];
    const expected: string[] = [];
    const STATUSES = ['CRITICAL', 'OK'];
    for (let sent = 0, second = 1; sent < 400; second += 40) {
      const some = Array.from({ length: 40 }, (_, index) => point(zulu(second + index), STATUSES[(sent + index) % 2] ?? ''));
      for (let index = 0; index < 40; index++)
        expected.push(...atAll(STATUSES[(sent + index + 1) % 2] ?? '', STATUSES[(sent + index) % 2] ?? '', second + index));
      await watched.happens(...some);
      sent += 40;
      if (sent === 200) watched.restart();
      told.push(...brief(await watched.at(second + 40)));
    }
    expect(told).toHaveLength(1_600);
    expect(told).toEqual(expected);
    expect(await watched.at(401)).toEqual([]);
  });

  it('finds no change again after the clock was set back', async () => {
    await watched.happens(point(zulu(5), 'CRITICAL'), point(zulu(8), 'OK'));
    expect(brief(await watched.at(6))).toEqual(atAll('OK', 'CRITICAL', 5));
    expect([await watched.at(3), await watched.at(7)]).toEqual([[], []]);
    expect(brief(await watched.at(9))).toEqual(atAll('CRITICAL', 'OK', 8));
  });

  it('finds what is over when the day has changed meanwhile', async () => {
    await watched.happens(point('2024-03-10T23:59:58Z', 'CRITICAL'), point('2024-03-10T23:59:59Z', 'OK'));
    expect(brief(await watched.at(14 * 3_600 + 5))).toEqual([
      ...LEVELS.map((level) => `${level} OK CRITICAL 23:59:58`),
      ...LEVELS.map((level) => `${level} CRITICAL OK 23:59:59`),
    ]);
  });

  it('knows the result that a change came from, and what holds around it', async () => {
    const result = { monitoring_host: 'mon.example.org', summary: 'refused', message: 'connection refused' };
    await watched.happens(point(zulu(5), 'CRITICAL', result));
    const changes = await watched.at(6);
    const source = {
      service: 'CE',
      hostname: 'h1',
      metric: 'm',
      monitoringHost: 'mon.example.org',
      summary: 'refused',
      message: 'connection refused',
    };
    const cause = { type: 'metric', metric: 'm', status: 'CRITICAL', timestamp: zulu(5) };
    const after = { status: 'CRITICAL', since: zulu(5), previous: 'OK', previousSince: zulu(-600) };
    const around = { group: after, service: after, endpoint: after, metric: after };
    expect(changes).toEqual([
      { level: 'metric', service: 'CE', hostname: 'h1', metric: 'm', ...after, cause, source, around },
      {
        level: 'endpoint',
        service: 'CE',
        hostname: 'h1',
        metric: '',
        ...after,
        cause,
        source,
        around,
        metrics: [{ metric: 'm', status: 'CRITICAL' }],
      },
      {
        level: 'service',
        service: 'CE',
        hostname: '',
        metric: '',
        ...after,
        cause: { type: 'endpoint', service: 'CE', hostname: 'h1', cause },
        source,
        around,
      },
      {
        level: 'group',
        service: '',
        hostname: '',
        metric: '',
        ...after,
        cause: { type: 'endpoint', service: 'CE', hostname: 'h1', cause },
        source,
        around,
        endpoints: [{ service: 'CE', hostname: 'h1', status: 'CRITICAL' }],
      },
    ]);
  });

  it('has host and texts of the result that counts in the group', async () => {
    const result = (name: string) => ({ monitoring_host: name, summary: `summary of ${name}`, message: `message of ${name}` });
    const source = [{ host: 'excluded', start_time: `${DAY}T00:00:00Z`, end_time: `${DAY}T23:59:59Z` }];
    await watched.happens(
      recomputation('r', { start_time: `${DAY}T00:00:00Z`, end_time: `${DAY}T23:59:59Z`, exclude_monitoring_source: source }),
      recomputationMoved('r', 'approved'),
      point(zulu(5), 'CRITICAL', result('mon')),
      point(zulu(5), 'OK', { ...result('other-group'), endpoint_group: 'SITE-B' }),
      point(zulu(5), 'OK', { ...result('other-report'), report: 'other' }),
      point(zulu(5), 'OK', result('excluded')),
    );
    const { monitoring_host: monitoringHost, ...texts } = result('mon');
    const named = { service: 'CE', hostname: 'h1', metric: 'm' };
    const changes = await watched.at(6);
    expect(changes.map(({ level, source: found }) => [level, found])).toEqual(
      LEVELS.map((level) => [level, { ...named, monitoringHost, ...texts }]),
    );
  });

  it('knows that a downtime ended, which is a minute after the time that was sent', async () => {
    await watched.happens(downtimes(DAY, ['CE', 'h1', zulu(60), zulu(120)]));
    expect((await watched.at(61)).map(({ level, since, cause }) => [level, since, cause.type])).toContainEqual([
      'endpoint',
      zulu(60),
      'downtime',
    ]);
    expect(await watched.at(179)).toEqual([]);
    expect((await watched.at(180)).find(({ level }) => level === 'endpoint')).toMatchObject({
      previous: 'DOWNTIME',
      status: 'OK',
      since: zulu(180),
      cause: { type: 'downtime' },
    });
  });

  it('finds a status that goes on again after the interval, if there is one', async () => {
    const repeating = { ...SETTINGS, repeatSeconds: 60 };
    expect(await watched.at(59, repeating)).toEqual([]);
    expect(await watched.at(61)).toEqual([]);
    const again = LEVELS.map((level) => `${level} OK OK ${zulu(-600).slice(11, 19)} again`);
    expect(brief(await watched.at(62, repeating))).toEqual(again);
    expect(await watched.at(100, repeating)).toEqual([]);
    expect(brief(await watched.at(122, repeating))).toEqual(again);
  });
});

describe('announced statuses', () => {
  const hosts = (...names: readonly string[]) => names.map((name) => ['SITE-B', 'CE', name] as const);

  it('are read of the groups that changed, and of others the part with the number of their last event', async () => {
    await watched.happens(
      groups(START, ['EU', 'SITE-A'], ['EU', 'SITE-B']),
      endpoints(START, ['SITE-A', 'CE', 'h1'], ...hosts('h2', 'h3', 'h4', 'h5')),
      ...['h2', 'h3', 'h4', 'h5'].map((host) => point(zulu(-300), 'OK', { host })),
    );
    await watched.at(1);
    await watched.at(2);
    const quiet = ['SITE-A', 'SITE-B'];
    for (const second of [3, 4]) expect(await watched.readAt(second)).toEqual(quiet);
    await watched.happens(point(zulu(5), 'CRITICAL'));
    const changed = await watched.readAt(6);
    expect(changed.length).toBeGreaterThan(3);
    expect(changed.filter((one) => one.startsWith('SITE-B'))).toEqual(['SITE-B']);
    await watched.at(7);
    expect(await watched.readAt(8)).toEqual(quiet);
  });

  it('are read again once another process has announced others', async () => {
    await watched.at(1);
    expect(await watched.readAt(2)).toEqual(['SITE-A']);
    await watched.elsewhere(3, 'CRITICAL');
    expect(brief(await watched.at(4))).toEqual([`group CRITICAL OK ${zulu(-600).slice(11, 19)}`]);
  });

  it('are read when the time of one that a clock ahead announced has come', async () => {
    await watched.at(1);
    await watched.elsewhere(60, 'CRITICAL');
    expect([await watched.at(2), await watched.at(3)]).toEqual([[], []]);
    expect(await watched.readAt(59)).toEqual(['SITE-A']);
    expect(brief(await watched.at(60))).toEqual([`group CRITICAL OK ${zulu(-600).slice(11, 19)}`]);
  });

  it('are read again in a group without results once it has some again', async () => {
    await watched.happens(groups(START, ['EU', 'SITE-A'], ['EU', 'SITE-B']), endpoints(START, ['SITE-A', 'CE', 'h1'], ...hosts('h2')));
    await watched.happens(groups(START, ['EU', 'SITE-A']));
    for (const second of [1, 2]) await watched.at(second);
    expect(await watched.readAt(3)).toEqual(['SITE-A']);
    await watched.happens(groups(START, ['EU', 'SITE-A'], ['EU', 'SITE-B']));
    for (const second of [4, 5]) await watched.at(second);
    expect(await watched.readAt(6)).toEqual(['SITE-A', 'SITE-B']);
    await watched.happens(groups(START, ['EU', 'SITE-A']));
    for (const second of [7, 8]) await watched.at(second);
    expect(await watched.readAt(9)).toEqual(['SITE-A', 'SITE-B']);
  });
});

describe('a report that cannot be watched', () => {
  const named = { ...SETTINGS, reports: ['Renamed', 'Critical'] };

  it('is a problem, while changes of the others are found', async () => {
    await watched.happens(point(zulu(5), 'CRITICAL'));
    expect(brief(await watched.at(6, named))).toEqual(atAll('OK', 'CRITICAL', 5));
    expect(watched.problem).toBe('Report Renamed does not exist');
    await watched.at(7);
    expect(watched.problem).toBeUndefined();
  });

  it.each([
    ['over a limit', () => overLimit('daysPerAnswer'), `Report Renamed cannot be watched: ${limitText('daysPerAnswer')}`],
    ['with an unexpected error', () => new Error('no'), 'Report Renamed cannot be watched: see the log of the server'],
  ])('%s does not stop the looks at the others', async (_, failure, problem) => {
    const { results } = lab;
    const find = results.report.bind(results);
    results.report = async (tenantId, name) => (name === 'Renamed' ? Promise.reject(failure()) : find(tenantId, name));
    await watched.happens(point(zulu(5), 'CRITICAL'));
    expect(brief(await watched.at(6, named))).toEqual(atAll('OK', 'CRITICAL', 5));
    expect(watched.problem).toBe(problem);
  });
});

describe('items that leave and come back', () => {
  const without = endpoints(START, ['SITE-A', 'CE', 'h2'], ['SITE-A', 'CE', 'h3']);
  const within = endpoints(START, ['SITE-A', 'CE', 'h1'], ['SITE-A', 'CE', 'h2']);

  it('groups: nothing is announced of a group that comes back', async () => {
    await watched.happens(
      groups(START, ['EU', 'SITE-A'], ['EU', 'SITE-B']),
      endpoints(START, ['SITE-A', 'CE', 'h1'], ['SITE-B', 'CE', 'h2']),
    );
    expect(await watched.at(1)).toEqual([]);
    await watched.happens(groups(START, ['EU', 'SITE-A']));
    expect(await watched.at(2)).toEqual([]);
    await watched.happens(point(zulu(3), 'CRITICAL', { host: 'h2' }));
    expect(await watched.at(4)).toEqual([]);
    await watched.happens(groups(START, ['EU', 'SITE-A'], ['EU', 'SITE-B']));
    expect(await watched.at(5)).toEqual([]);
    await watched.happens(point(zulu(6), 'OK', { host: 'h2' }));
    expect(brief(await watched.at(7))).toEqual(atAll('CRITICAL', 'OK', 6));
  });

  it('endpoints are dropped from memory, and their metrics are announced again after they came back', async () => {
    await watched.happens(without, point(zulu(-500), 'OK', { host: 'h2' }));
    await watched.at(1);
    expect(watched.remembered).toBe(3);
    await watched.happens(endpoints(START, ['SITE-A', 'CE', 'h2']));
    await watched.at(2);
    expect(watched.remembered).toBe(2);
    await watched.happens(within);
    await watched.at(3);
    await watched.happens(point(zulu(4), 'CRITICAL'));
    expect(brief(await watched.at(5))).toContain(`metric OK CRITICAL ${zulu(4).slice(11, 19)}`);
    await watched.at(6, { ...SETTINGS, reports: [] });
    expect(watched.remembered).toBe(0);
  });

  it('metrics whose statuses change places are announced, although their numbers stay', async () => {
    const sent = (...statuses: readonly string[]) => watched.happens(...statuses.map((status, index) => point(zulu(index + 1), status)));
    await sent('CRITICAL', 'WARNING', 'OK', 'CRITICAL', 'WARNING');
    await watched.at(6);
    await sent('CRITICAL', 'WARNING', 'OK', 'WARNING', 'CRITICAL');
    expect(brief(await watched.at(7))).toContain(`metric WARNING CRITICAL ${zulu(5).slice(11, 19)}`);
  });
});

describe('lists that are replaced by deleting and writing them again', () => {
  const down = ['CE', 'h1', `${DAY}T00:00:00Z`, `${DAY}T23:59:00Z`] as const;
  const kinds: readonly (readonly [string, readonly [LabEvent, LabEvent], LabEvent])[] = [
    ['downtimes', [downtimes(DAY, down), downtimesDeleted(DAY)], downtimes(DAY, down)],
    ['endpoints', [endpoints(START, ['SITE-A', 'CE', 'h1']), endpointsDeleted(START)], endpoints(START, ['SITE-A', 'CE', 'h1'])],
    ['groups', [groups(START, ['EU', 'SITE-A']), groupsDeleted(START)], groups(START, ['EU', 'SITE-A'])],
  ];

  it.each(kinds)(
    '%s: 25 times make no change, and what changes meanwhile is found afterwards, once',
    async (_kind, [first, gone], again) => {
      await watched.happens(first);
      await watched.at(1);
      for (let run = 1; run <= 25; run++) {
        await watched.happens(gone);
        expect(await watched.at(20 * run)).toEqual([]);
        expect(await watched.at(20 * run + 9)).toEqual([]);
        if (run === 13) watched.restart();
        await watched.happens(again);
        expect(await watched.at(20 * run + 10)).toEqual([]);
      }
      expect(await watched.at(600)).toEqual([]);
      await watched.happens(gone);
      await watched.happens(point(zulu(601), 'CRITICAL'), point(zulu(602), 'WARNING'));
      expect(await watched.at(610)).toEqual([]);
      await watched.happens(again);
      const found = brief(await watched.at(611)).filter((one) => one.startsWith('metric'));
      expect(found).toEqual([`metric OK CRITICAL ${zulu(601).slice(11, 19)}`, `metric CRITICAL WARNING ${zulu(602).slice(11, 19)}`]);
      expect(await watched.at(612)).toEqual([]);
    },
  );

  it('that stay away for a minute are gone', async () => {
    await watched.happens(downtimes(DAY, down));
    expect(brief(await watched.at(1))).toContain('endpoint OK DOWNTIME 00:00:00');
    await watched.happens(downtimesDeleted(DAY));
    expect(await watched.at(59)).toEqual([]);
    expect(brief(await watched.at(62))).toContain(`endpoint DOWNTIME OK ${zulu(-600).slice(11, 19)}`);
  });

  const OLD = '2023-12-01';
  const host = ['SITE-A', 'CE', 'h1'] as const;
  const replaced: readonly (readonly [string, readonly [LabEvent, LabEvent], boolean])[] = [
    ['downtimes of today', [downtimes(DAY, down), downtimesDeleted(DAY)], false],
    ['downtimes of another day', [downtimes('2024-02-01', down), downtimesDeleted('2024-02-01')], true],
    ['the endpoints that count', [endpoints(START, host), endpointsDeleted(START)], false],
    ['the groups that count', [groups(START, ['EU', 'SITE-A']), groupsDeleted(START)], false],
    ['older endpoints', [endpoints(OLD, host), endpointsDeleted(OLD)], true],
    ['older groups', [groups(OLD, ['EU', 'SITE-A']), groupsDeleted(OLD)], true],
  ];

  it.each(replaced)('during a look: %s', async (_, [list, gone], isFound) => {
    await watched.happens(list, point(zulu(1), 'CRITICAL'));
    watched.meanwhile = [gone, list];
    const found = brief(await watched.at(2)).filter((one) => !one.includes('DOWNTIME'));
    expect(found).toEqual(isFound ? atAll('OK', 'CRITICAL', 1) : []);
  });

  it.each(replaced)('shortly before a look: %s', async (_, [list, gone], isFound) => {
    await watched.happens(list, point(zulu(1), 'CRITICAL'), gone);
    expect(brief(await watched.at(2))).toEqual(isFound ? atAll('OK', 'CRITICAL', 1) : []);
  });

  it('groups of which older ones take the place count for a minute, however many of those are deleted', async () => {
    const older = Array.from({ length: 120 }, (_, index) => endpointsDeleted(`2023-0${1 + Math.floor(index / 20)}-${10 + (index % 20)}`));
    await watched.happens(groups(OLD, ['EU', 'SITE-A']), groupsDeleted(START), ...older, point(zulu(1), 'CRITICAL'));
    expect(await watched.at(2)).toEqual([]);
    await watched.happens(groups(START, ['EU', 'SITE-A']));
    expect(brief(await watched.at(3))).toEqual(atAll('OK', 'CRITICAL', 1));
  });

  it('groups of a new day are there with the endpoints of that day', async () => {
    await watched.happens(groups(DAY, ['EU', 'SITE-A']), point(zulu(2), 'CRITICAL'));
    expect(await watched.at(3)).toEqual([]);
    await watched.happens(endpoints(DAY, ['SITE-A', 'CE', 'h1']));
    expect(brief(await watched.at(4))).toEqual(atAll('OK', 'CRITICAL', 2));
  });
});
