import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import type { EventStore } from '#domain/shared/event-store.js';
import type { FollowerContext } from '#infra/engine/followers/follower.js';
import { BackgroundDays } from '#infra/engine/results/background.js';
import { DayComputer, type DayRequest } from '#infra/engine/results/day-computer.js';
import { EngineDays, type EngineDaysParts } from '#infra/engine/results/engine-days.js';
import { ResultsFollower, resultsPath } from '#infra/engine/results/results-follower.js';
import { ResultsStore } from '#infra/engine/results/results-store.js';
import { PriorityTurns } from '#infra/engine/results/turns.js';
import { LogIdentity } from '#infra/stores/log-identity/log-identity.js';
import type { CommitListener, ReadStore, ReadView } from '#projections/shared/read-store.js';
import { statusProjections } from '#projections/status/index.js';
import { ReportQueries } from '#projections/status/reports/queries.js';
import type { Results } from '#projections/status/results/report-reader.js';
import { Cleanup } from '#test/support/cleanup.js';
import { EMPTY, openRestorableLog } from '#test/support/event-stores/restorable-log.js';
import { eventually } from '#test/support/eventually.js';
import { forAny } from '#test/support/for-any.js';
import { collected, type LabEvent, labEvents, openResultsLab, type ResultsLab, TENANT } from '#test/support/status/results-lab.js';
import { EVER, NOW, START, world } from '#test/support/status/results-world.js';
import { runs } from '#test/support/test-runs.js';
import { readerParts, resultsOver } from './reader-parts.js';

const cleanup = new Cleanup();
afterEach(() => cleanup.run());

/** Results of a lab that an engine in this thread stores. Before each of its answers `before` is awaited. */
class EngineLab {
  readonly computed: DayRequest[] = [];
  before: () => Promise<void> = async () => {};
  isFull = false;
  /** A day that cannot be computed. */
  failing: string | undefined;
  readonly reported: string[] = [];
  /** Number of plans that the engine has read. */
  plans = 0;
  now = Date.parse(NOW);
  /** Time by which the clock of reads was set back. */
  setBackMs = 0;
  private store: ResultsStore;
  private turns = new PriorityTurns();
  private background: BackgroundDays;
  private results: Results;

  constructor(
    readonly lab: ResultsLab,
    private readonly directory: string,
    private readonly timing?: EngineDaysParts['timing'],
  ) {
    [this.store, this.background, this.results] = this.open();
  }

  async at(instant: string): Promise<void> {
    this.now = Date.parse(instant);
    this.lab.at(instant);
  }

  async restart(): Promise<void> {
    await this.store.close();
    [this.store, this.background, this.results] = this.open();
  }

  close(): Promise<void> {
    return this.store.close();
  }

  /** Expects stored results to equal those computed without the engine. */
  async expectRight(): Promise<void> {
    const [plain, stored] = [await this.lab.reader(), await this.results.report(TENANT, 'Critical')];
    if (!stored) throw new Error('there is no report');
    const span = { from: EVER[0], to: EVER[1] };
    expect(summaries(await collected(stored.days(span)))).toEqual(summaries(await collected(plain.days(span))));
    expect(await collected(stored.details(span))).toEqual(await collected(plain.details(span)));
    expect(groupsOf(await collected(stored.details(span, 'SITE-B')))).toEqual(groupsOf(await collected(plain.details(span, 'SITE-B'))));
  }

  /** First group's last status of a day. */
  async status(day: string): Promise<string | undefined> {
    const stored = await this.results.report(TENANT, 'Critical');
    const [found] = stored ? await collected(stored.days({ from: day, to: day })) : [];
    return found?.groups[0]?.timeline.at(-1)?.status;
  }

  /** Runs the background work after a change. @returns the computed days */
  async round(): Promise<readonly string[]> {
    const before = this.computed.length;
    await this.background.round(() => false);
    return this.computed.slice(before).map(({ day }) => day);
  }

  get runs() {
    return this.background.runs;
  }

  private open() {
    const store = ResultsStore.open({ path: this.directory, report: () => {} });
    const requireRoom = store.requireRoom.bind(store);
    store.requireRoom = () => {
      if (this.isFull) throw new Error('the disk is full');
      requireRoom();
    };
    const parts = readerParts(this.lab.store);
    const plan = (...given: Parameters<typeof parts.plans.plan>) => {
      this.plans++;
      return parts.plans.plan(...given);
    };
    const reader = { ...parts, plans: Object.create(parts.plans, { plan: { value: plan } }) as typeof parts.plans };
    const reports = new ReportQueries(this.lab.store);
    const now = () => this.now;
    const computer = new DayComputer({ reader, reports, store, origin: { record: async () => {} }, now });
    const counted = {
      forget: computer.forget.bind(computer),
      compute: (request: DayRequest) => {
        this.computed.push(request);
        if (request.day === this.failing) return Promise.reject(new Error('the day has too many points'));
        return computer.compute(request);
      },
    };
    const background = new BackgroundDays({
      reader,
      reports,
      now,
      store,
      turns: this.turns,
      computer: counted,
      onProgress: () => {},
      report: (message, error) => {
        if (this.failing === undefined) throw new Error(message, { cause: error });
        this.reported.push(message);
      },
    });
    const engine = {
      compute: async (request: DayRequest) => {
        await this.before();
        const proof = await this.turns.within(() => counted.compute(request), request.tenantId);
        if (proof) background.learn({ tenantId: request.tenantId, name: request.name, report: proof.report });
      },
    };
    const timing = this.timing && { timing: this.timing };
    const over = (inner: EngineDaysParts['inner']) =>
      new EngineDays({ inner, stored: () => store, engine, now: () => Date.now() - this.setBackMs, largeFrom: 1, ...timing });
    const results = resultsOver(this.lab.store, now, over);
    return [store, background, results] as const;
  }
}

type Summaries = Awaited<ReturnType<typeof collected<{ groups: readonly object[] }>>>;

const summaries = (days: Summaries) =>
  days.map((day) => ({ ...day, groups: day.groups.map((group) => ({ ...group, services: undefined })) }));
const groupsOf = (days: Summaries) => days.map(({ groups }) => groups);

const open = async (timing?: EngineDaysParts['timing'], ...events: readonly LabEvent[]): Promise<EngineLab> => {
  const directory = mkdtempSync(join(tmpdir(), 'logbook-results-'));
  const lab = await openResultsLab(NOW);
  const engine = new EngineLab(lab, directory, timing);
  cleanup.defer(async () => {
    await engine.close();
    await lab.close();
    rmSync(directory, { recursive: true, force: true });
  });
  await lab.append(...twoSites, ...events);
  return engine;
};

const { report, groups, endpoints, metrics, aggregation, point, downtimes, weights, thresholds } = labEvents;
const { recomputation, recomputationMoved, recomputationDeleted, metricsDeleted } = labEvents;

const twoSites = [
  ...world(),
  groups(START, ['EU', 'SITE-A'], ['EU', 'SITE-B']),
  endpoints(START, ['SITE-A', 'CE', 'h1'], ['SITE-A', 'CE', 'h2'], ['SITE-B', 'CE', 'h2'], ['SITE-B', 'SE', 'h3']),
  metrics(START, { CE: ['m', 'n'], SE: ['m'] }),
  aggregation(START, { computing: ['CE'], storage: ['SE'] }),
];

const day = fc.constantFrom('2024-03-06', '2024-03-07', '2024-03-08', '2024-03-09', '2024-03-10');
const points = fc
  .record({
    day,
    hour: fc.constantFrom('00', '06', '11', '15', '23'),
    status: fc.constantFrom('OK', 'CRITICAL', 'WARNING'),
    host: fc.constantFrom('h1', 'h2', 'h3'),
    service: fc.constantFrom('CE', 'SE'),
    metric: fc.constantFrom('m', 'n'),
  })
  .map(({ day: on, hour, status, ...rest }) => point(`${on}T${hour}:00:00Z`, status, rest));

const request = { start_time: '2024-03-07T06:00:00Z', end_time: '2024-03-09T12:00:00Z', exclude: ['SITE-A'] };
const changes = fc.oneof(
  { weight: 6, arbitrary: points },
  { weight: 1, arbitrary: day.map((on) => downtimes(on, ['CE', 'h2', `${on}T05:00:00Z`, `${on}T13:00:00Z`])) },
  { weight: 1, arbitrary: day.map((on) => endpoints(on, ['SITE-A', 'CE', 'h1'], ['SITE-C', 'SE', 'h3'])) },
  { weight: 1, arbitrary: day.map((on) => groups(on, ['EU', 'SITE-A'], ['US', 'SITE-C'])) },
  { weight: 1, arbitrary: day.map((on) => metrics(on, { CE: ['n'], SE: ['m', 'n'] })) },
  { weight: 1, arbitrary: day.map((on) => weights(on, { 'SITE-A': 7 })) },
  { weight: 1, arbitrary: day.map((on) => thresholds(on, { metric: 'm', thresholds: 'x=1;0:5' })) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      recomputation('r', request),
      recomputationMoved('r', 'approved'),
      recomputationDeleted('r'),
      report({ disabled: true }, 'ReportRevised'),
      report({}, 'ReportRevised'),
      metricsDeleted(),
    ),
  },
);

/** An event that may happen between two reads. */
const step = fc.record({
  events: fc.array(changes, { maxLength: 4 }),
  passed: fc.constantFrom(0, 0, 1, 1_800, 14_400, 43_200),
  then: fc.constantFrom('nothing', 'nothing', 'background', 'restart', 'failure'),
});

describe('Stored results', () => {
  it('are what is computed without them, whatever happens in whatever order', () =>
    forAny(runs(8), fc.array(step, { minLength: 2, maxLength: 6 }), async (steps) => {
      const engine = await open();
      try {
        for (const { events, passed, then } of steps) {
          const exists = events.filter(({ type }) => !type.startsWith('Recomputation') || type === 'RecomputationRequested');
          await engine.lab.append(...exists);
          await engine.at(new Date(engine.now + passed * 1_000).toISOString());
          if (then === 'background') await engine.round();
          if (then === 'restart') await engine.restart();
          engine.before = then === 'failure' ? () => Promise.reject(new Error('the thread has ended')) : async () => {};
          await engine.expectRight();
        }
      } finally {
        await cleanup.run();
      }
    }));

  it('are computed once, and read from then on, also after a restart', async () => {
    const engine = await open({}, point('2024-03-06T06:00:00Z', 'CRITICAL'));
    await engine.expectRight();
    const days = engine.computed.map(({ day: one }) => one);
    expect(new Set(days)).toEqual(new Set(['2024-03-06', '2024-03-07', '2024-03-10']));
    await engine.restart();
    await engine.expectRight();
    expect(engine.computed).toHaveLength(days.length);
  });

  it('are computed again in the background where a change covers them, the newest first, and nowhere else', async () => {
    const engine = await open({}, ...['06', '07', '08', '09'].map((on) => point(`2024-03-${on}T06:00:00Z`, 'OK')));
    await engine.expectRight();
    expect(await engine.round()).toEqual([]);
    await engine.lab.append(metrics('2024-03-08', { CE: ['m'] }));
    expect(await engine.round()).toEqual(['2024-03-09', '2024-03-08']);
    expect(engine.runs).toMatchObject([{ name: 'Critical', from: '2024-03-08', to: '2024-03-09', done: 2, total: 2, state: 'done' }]);
    await engine.lab.append(downtimes('2024-03-07', ['CE', 'h1', '2024-03-07T05:00:00Z', '2024-03-07T13:00:00Z']));
    expect(await engine.round()).toEqual(['2024-03-07']);
    await engine.lab.append(recomputation('r', request), recomputationMoved('r', 'approved'));
    expect(await engine.round()).toEqual(['2024-03-09', '2024-03-08', '2024-03-07']);
    await engine.lab.append(point('2024-03-06T23:00:00Z', 'CRITICAL'));
    expect(await engine.round()).toEqual(['2024-03-07', '2024-03-06']);
    const before = engine.computed.length;
    await engine.expectRight();
    expect(engine.computed.slice(before).filter(({ day: one }) => one < '2024-03-10')).toEqual([]);
  });

  it('of a day that cannot be computed are tried ever more rarely, and logged the first, second and fourth time', async () => {
    const engine = await open({}, ...['08', '09'].map((on) => point(`2024-03-${on}T06:00:00Z`, 'OK')));
    await engine.expectRight();
    const now = performance.now.bind(performance);
    let passed = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + passed);
    cleanup.defer(async () => void clock.mockRestore());
    engine.failing = '2024-03-09';
    await engine.lab.append(metrics('2024-03-08', { CE: ['m'] }));
    expect(await engine.round()).toEqual(['2024-03-09', '2024-03-08']);
    expect(await engine.round()).toEqual([]);
    for (const pause of [30_000, 60_000, 120_000]) {
      passed += pause - 10_000;
      expect(await engine.round()).toEqual([]);
      passed += 10_000;
      expect(await engine.round()).toEqual(['2024-03-09']);
    }
    expect(engine.reported).toEqual(Array.from({ length: 3 }, () => 'the results of 2024-03-09 could not be computed'));
  });

  it('are not computed if they could not be stored: the reader computes them', async () => {
    const engine = await open({}, ...['08', '09'].map((on) => point(`2024-03-${on}T06:00:00Z`, 'OK')));
    await engine.expectRight();
    await engine.lab.append(metrics('2024-03-08', { CE: ['m'] }));
    engine.isFull = true;
    const { plans, computed } = engine;
    const asked = computed.length;
    await expect(engine.round()).rejects.toThrow('the disk is full');
    expect(computed).toHaveLength(asked);
    await engine.expectRight();
    expect([engine.plans, computed.length > asked]).toEqual([plans, true]);
    engine.isFull = false;
    expect(await engine.round()).toEqual(['2024-03-09', '2024-03-08']);
  });

  it('go with their report', async () => {
    const engine = await open({}, point('2024-03-06T06:00:00Z', 'OK'));
    await engine.expectRight();
    await engine.lab.append(labEvents.reportDeleted());
    await engine.round();
    await engine.lab.append(report({ id: 'another' }));
    await engine.expectRight();
    expect(new Set(engine.computed.map(({ name }) => name))).toEqual(new Set(['Critical']));
  });

  it('stay when their report is renamed', async () => {
    const engine = await open({}, ...['08', '09'].map((on) => point(`2024-03-${on}T06:00:00Z`, 'OK')));
    await engine.expectRight();
    await engine.lab.append(report({ name: 'Renamed' }, 'ReportRevised'));
    expect(await engine.round()).toEqual([]);
    await engine.lab.append(metrics('2024-03-09', { CE: ['m'] }));
    expect(await engine.round()).toEqual(['2024-03-09']);
    expect(engine.computed.at(-1)).toMatchObject({ name: 'Renamed' });
    await engine.lab.append(report({}, 'ReportRevised'));
    await engine.round();
    const before = engine.computed.length;
    await engine.expectRight();
    expect(engine.computed.slice(before).filter(({ day: one }) => one < '2024-03-10')).toEqual([]);
  });

  it('are shown for a moment while points stream in, and never those of another configuration', async () => {
    const engine = await open({ patienceMs: 20, oldMs: 3_600_000 }, point('2024-03-09T06:00:00Z', 'OK', { host: 'h1' }), ...others);
    engine.now = Date.now();
    engine.lab.at(new Date(engine.now).toISOString());
    expect(await engine.status('2024-03-09')).toBe('OK');
    const release = { all: () => {} };
    engine.before = () => new Promise((resolve) => (release.all = resolve));
    await engine.lab.append(...['h1', 'h2'].map((host) => point('2024-03-09T07:00:00Z', 'CRITICAL', { host })));
    expect(await engine.status('2024-03-09')).toBe('OK');
    release.all();
    engine.before = async () => {};
    await engine.lab.append(metrics('2024-03-09', { CE: ['m'], SE: ['m'] }));
    expect(await engine.status('2024-03-09')).toBe('CRITICAL');
  });

  it('are shown after the same time where the clock is set back while a read waits', async () => {
    const engine = await open({ patienceMs: 200, oldMs: 3_600_000 }, point('2024-03-09T06:00:00Z', 'OK', { host: 'h1' }), ...others);
    engine.now = Date.now();
    engine.lab.at(new Date(engine.now).toISOString());
    expect(await engine.status('2024-03-09')).toBe('OK');
    engine.before = () => {
      engine.setBackMs = 3_600_000;
      return new Promise(() => {});
    };
    await engine.lab.append(...['h1', 'h2'].map((host) => point('2024-03-09T07:00:00Z', 'CRITICAL', { host })));
    expect(await engine.status('2024-03-09')).toBe('OK');
  });

  it('are not shown as new ones to a read that begins after the clock was set back', async () => {
    const engine = await open({ patienceMs: 10, oldMs: 0, limitMs: 50 }, point('2024-03-09T06:00:00Z', 'OK', { host: 'h1' }), ...others);
    engine.now = Date.now();
    engine.lab.at(new Date(engine.now).toISOString());
    expect(await engine.status('2024-03-09')).toBe('OK');
    engine.setBackMs = 3_600_000;
    engine.before = () => new Promise(() => {});
    await engine.lab.append(...['h1', 'h2'].map((host) => point('2024-03-09T07:00:00Z', 'CRITICAL', { host })));
    expect(await engine.status('2024-03-09')).toBe('CRITICAL');
  });

  it('are done without where the engine does not answer', async () => {
    const engine = await open({ patienceMs: 10, oldMs: 0, limitMs: 50 }, point('2024-03-09T06:00:00Z', 'OK', { host: 'h1' }), ...others);
    engine.before = () => new Promise(() => {});
    expect(await engine.status('2024-03-09')).toBe('OK');
  });
});

/** The thread over a log and read models that may be replaced while it runs. */
const openThread = async (...events: readonly LabEvent[]) => {
  const directory = mkdtempSync(join(tmpdir(), 'logbook-results-'));
  const [log, first, second] = [await openRestorableLog('the embedded log'), await openResultsLab(NOW), await openResultsLab(NOW)];
  let { store } = first;
  const interruptions: (() => void)[] = [];
  const listeners: [name: string, listener: CommitListener][] = [];
  const heard = <Listener>(all: Listener[], listener: Listener): (() => void) => {
    all.push(listener);
    return () => {};
  };
  const current = <Target extends object>(target: () => Target, replaced: Partial<Target>): Target =>
    new Proxy({} as Target, {
      get: (_, name: keyof Target & string) => {
        const found = replaced[name] ?? target()[name];
        return typeof found === 'function' ? found.bind(target()) : found;
      },
    });
  const read = current<ReadStore>(() => store, {
    onCommit: (...given) => heard(listeners, given),
    view: (model) => current<ReadView>(() => store.view(model), {}),
  });
  const onInterruption = (listener: () => void) => heard(interruptions, listener);
  const stored = ResultsStore.open({ path: resultsPath(directory), report: () => {} });
  const context = {
    settings: { dataDirectory: directory },
    events: current<EventStore>(() => log.store(), { onInterruption }),
    projections: statusProjections,
    log: { warn: () => {} },
    now: () => Date.parse(NOW),
    report: () => {},
  } as unknown as FollowerContext;
  const follower = await ResultsFollower.open(context, { store: read, reader: readerParts(read), close: async () => {} });
  cleanup.defer(async () => {
    await follower.stop();
    for (const opened of [stored, first, second]) await opened.close();
    await log.dispose();
    rmSync(directory, { recursive: true, force: true });
  });
  await new LogIdentity(log.store()).open();
  await first.append(...twoSites, ...events);
  const key = { tenantId: TENANT, report: 'report-id', day: '2024-03-10' };
  return {
    follower,
    listened: () => [...new Set(listeners.map(([name]) => name))].sort(),
    /** First group's last status of today, computed on request. */
    status: async () => {
      await follower.answer({ tenantId: TENANT, name: 'Critical', day: key.day });
      const proof = stored.proof(key);
      return proof && stored.summary(key, proof)?.groups[0]?.timeline.at(-1)?.status;
    },
    /** Resolves when results of the first log are discarded. */
    replaceLog: async (...instead: readonly LabEvent[]) => {
      await second.append(...twoSites, ...instead);
      await log.restore(EMPTY);
      await new LogIdentity(log.store()).open();
      store = second.store;
      for (const [, listener] of listeners) listener(0n, '');
      for (const listener of interruptions) listener();
      await eventually(() => stored.proof(key)).until((proof) => proof === undefined);
    },
  };
};

describe('The thread that computes results', () => {
  it('keeps nothing of a log that was replaced by another one', async () => {
    const points = (status: string) => ['m', 'n'].map((metric) => point('2024-03-10T06:00:00Z', status, { metric }));
    const thread = await openThread(...points('CRITICAL'));
    thread.follower.start();
    expect(await thread.status()).toBe('CRITICAL');
    await thread.replaceLog(...points('OK'));
    expect(await thread.status()).toBe('OK');
  });

  it('starts again only after changes of read models from which results are computed', async () => {
    const thread = await openThread();
    thread.follower.start();
    expect(thread.listened()).toEqual([
      'status.dated-records',
      'status.day-lists',
      'status.recomputations',
      'status.reports',
      'status.results',
    ]);
  });
});

const others = [
  point('2024-03-09T06:00:00Z', 'OK', { host: 'h1', metric: 'n' }),
  ...['m', 'n'].map((metric) => point('2024-03-09T06:00:00Z', 'OK', { host: 'h2', metric })),
];
