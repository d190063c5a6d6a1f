import { randomUUID } from 'node:crypto';
import type { EventStore } from '#domain/shared/event-store.js';
import type { NewEvent, RecordedEvent } from '#domain/shared/events.js';
import {
  EventsOfResults,
  METRIC_DATA_CATEGORY,
  type MetricResult,
  type MetricResultsRecorded,
  streamOfMetricData,
} from '#domain/status/metric-data/metric-data.js';
import type { PlannedGroup } from '#domain/status/results/plan.js';
import { TENANTS_CATEGORY, TENANTS_STREAM } from '#domain/status/tenants/tenants.js';
import { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import { DEFAULT_TIMING } from '#infra/engine/projection-runner/runner-timing.js';
import { openRedisReadStore } from '#infra/stores/read-store/redis/redis-read-store.js';
import type { History } from '#projections/shared/past.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { ExpectedItems } from '#projections/status/metric-data/expected-items.js';
import { MetricDataQueries } from '#projections/status/metric-data/queries.js';
import { GatheredPoints, type PointScope } from '#projections/status/metric-results/gathered.js';
import { PointQueries } from '#projections/status/metric-results/point-queries.js';
import { resultsProjection } from '#projections/status/metric-results/projection.js';
import { type HistoryLab, openHistoryLab } from '#test/support/as-of/open-history.js';
import { LONGEST_MS, until } from '#test/support/eventually.js';
import { startRedis, type TestRedis } from '#test/support/redis/redis.js';
import type { LoggedPoint } from './model.js';

/** A call of a tenant with points, or the deletion of a tenant. */
export type Step = Readonly<{ tenantId: string; points: readonly MetricResult[] }> | Readonly<{ deleted: string }>;

/** The reads of points, now or as of a position. */
export type PointReads = Readonly<{ results: MetricDataQueries; points: PointQueries; withoutData: PointQueries }>;

/** Read models that the reads need. */
const PROJECTIONS = [resultsProjection];
const CATEGORIES = [METRIC_DATA_CATEGORY, TENANTS_CATEGORY];
const newEvent = (type: string, data: NewEvent['data']): NewEvent => ({
  id: randomUUID(),
  type,
  data,
  metadata: {
    time: '2024-01-02T03:04:05.678Z',
    actor: { kind: 'system', id: 'test' },
    service: 'status',
    requestId: 'test',
    correlationId: 'test',
    causationId: 'test',
    schemaVersion: 1,
  },
});

type Appended = Readonly<{ stream: string; event: NewEvent }>;

/** The events of a step, as commands append them. */
const eventsOf = (step: Step): readonly Appended[] => {
  if ('deleted' in step) return [{ stream: TENANTS_STREAM, event: newEvent('TenantDeleted', { tenantId: step.deleted, userIds: [] }) }];
  const events = new EventsOfResults();
  for (const result of step.points) events.add([result], JSON.stringify(result).length);
  const { tenantId } = step;
  return events.all().map(({ results }) => ({
    stream: streamOfMetricData(tenantId),
    event: newEvent('MetricResultsRecorded', { tenantId, results }),
  }));
};

/** The points of an event. */
const pointsIn = ({ position, data }: RecordedEvent): readonly LoggedPoint[] => {
  const { tenantId, results } = data as MetricResultsRecorded['data'];
  return results.map((result, index) => ({ position, index, tenantId, host: result.host, result }));
};

const readsOver = (store: Pick<ReadStore, 'view'>): PointReads => ({
  results: new MetricDataQueries(store),
  points: new PointQueries(store),
  withoutData: new PointQueries(store, 'without-data'),
});

/** Documents, while they are projected. `history`: absent on Redis, which keeps no past. */
type Projected = Readonly<{
  documents: Pick<ReadStore, 'view'>;
  history?: History;
  hasReached(position: bigint): Promise<boolean>;
  close(): Promise<void>;
  /** Ends as a process does that is killed: what was not stored is lost. */
  kill(): Promise<void>;
}>;

const onEmbedded = async (lab: HistoryLab): Promise<Projected> => {
  const { documents, history, close, kill } = await lab.open(PROJECTIONS);
  return { documents, history, close, kill, hasReached: async (position) => (await history.reach(position)) === 'reached' };
};

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

const onRedis = async (events: EventStore, redis: TestRedis): Promise<Projected> => {
  const store = await openRedisReadStore({ ...redis, timeLimitMs: LONGEST_MS });
  const common = { expiring: [], log: silent, now: Date.now, timing: DEFAULT_TIMING };
  const readModels = new ReadModels({ ...common, events, store, decode: (recorded) => recorded }, PROJECTIONS);
  readModels.start();
  const close = async (): Promise<void> => {
    await readModels.stop();
    await store.close();
  };
  return {
    documents: store,
    close,
    kill: close, // each commit is stored at once
    hasReached: async (position) => {
      const standings = await Promise.all(PROJECTIONS.map(({ name }) => store.standing(name)));
      return standings.every((standing) => standing !== null && standing.checkpoint >= position);
    },
  };
};

export const expectedItems = (groups: ReadonlyMap<string, PlannedGroup>): ExpectedItems => new ExpectedItems(groups);

export const gatheredPoints = (scope: PointScope): GatheredPoints => new GatheredPoints(scope);

/**
 * A log of points with the read models over it and their past. This file alone knows the shape of their events, the read models, and how queries are
 * made.
 */
export class PointsLab {
  readonly points: LoggedPoint[] = [];
  readonly deletedTenants: { tenantId: string; position: bigint }[] = [];
  private read = 0n;
  private projected: Projected | undefined;

  private constructor(
    private readonly lab: HistoryLab,
    private readonly redis: TestRedis | null,
  ) {}

  static async open(documents: 'embedded' | 'redis' = 'embedded'): Promise<PointsLab> {
    return new PointsLab(await openHistoryLab(), documents === 'redis' ? await startRedis() : null);
  }

  /** Position of the last event. */
  get head(): bigint {
    return this.read;
  }

  async append(steps: readonly Step[]): Promise<void> {
    for (const step of steps) await Promise.all(eventsOf(step).map(({ stream, event }) => this.lab.events.append(stream, [event], 'any')));
    await this.readLog();
  }

  /** Starts to project, or goes on where it ended. */
  async start(): Promise<void> {
    this.projected = this.redis ? await onRedis(this.lab.events, this.redis) : await onEmbedded(this.lab);
  }

  async stop(): Promise<void> {
    await this.projected?.close();
    this.projected = undefined;
  }

  /** Ends in the middle of its work, as a process does that is killed, and starts again. */
  async killed(): Promise<void> {
    await this.projected?.kill();
    await this.start();
  }

  async dispose(): Promise<void> {
    await this.stop();
    await this.lab.dispose();
    await this.redis?.stop();
  }

  /** The reads once they show the whole log. */
  async now(): Promise<PointReads> {
    return readsOver((await this.reached(this.head)).documents);
  }

  async asOf(position: bigint): Promise<PointReads> {
    const { history } = await this.reached(position);
    if (!history) throw new Error('these documents have no past');
    return readsOver({ view: (name) => history.view(name, position) });
  }

  private async reached(position: bigint): Promise<Projected> {
    const { projected } = this;
    if (!projected) throw new Error('nothing is projected yet');
    await until(() => projected.hasReached(position));
    return projected;
  }

  private async readLog(): Promise<void> {
    for (;;) {
      const { events, position, caughtUp } = await this.lab.events.readAll({ after: this.read, limit: 500, categories: CATEGORIES });
      for (const event of events) this.add(event);
      this.read = caughtUp ? (events.at(-1)?.position ?? this.read) : position;
      if (caughtUp) return;
    }
  }

  private add(event: RecordedEvent): void {
    const { type, position, data } = event;
    if (type === 'TenantDeleted') this.deletedTenants.push({ tenantId: String(data.tenantId), position });
    else this.points.push(...pointsIn(event));
  }
}
