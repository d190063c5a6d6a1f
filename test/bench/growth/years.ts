import { randomUUID } from 'node:crypto';
import { type MetricEvent, metricStream } from '#domain/accounting/metrics/metric-events.js';
import { objectId } from '#domain/accounting/object-id.js';
import { type CursorEvent, cursorStream } from '#domain/messaging/cursors/cursor-events.js';
import { type MessagePublished, messagesStream } from '#domain/messaging/messages/message-events.js';
import { RESOURCES_CATEGORY } from '#domain/messaging/resources/resources.js';
import { type TrafficRecorded, type TrafficTotals, trafficStream } from '#domain/messaging/traffic/traffic.js';
import type { EventStore, ExpectedRevision } from '#domain/shared/event-store.js';
import type { DomainEvent, NewEvent, ServiceName } from '#domain/shared/events.js';
import { type Day, dayAt } from '#domain/shared/time.js';
import { streamOfDated } from '#domain/status/dated-records/dated-records.js';
import { weights } from '#domain/status/dated-records/weights.js';
import { type MetricResultsRecorded, streamOfMetricData } from '#domain/status/metric-data/metric-data.js';
import { addInstallations, type BenchInstallation } from '#test/bench/inputs/accounting-data.js';
import { addReport, pointsOf } from '#test/bench/inputs/results-data.js';
import { addTenant, type BenchTenant, weightsOf } from '#test/bench/inputs/status-data.js';
import type { Installation } from '#test/bench/installation.js';
import { call as messagingCall } from '#test/bench/scenarios/messaging-traffic.js';

/** Records that the events of the years are about. */
export type GrowthWorld = Readonly<{ tenant: BenchTenant; places: readonly BenchInstallation[]; topics: readonly Topic[] }>;

/**
 * `sent`: messages so far; its subscription has acknowledged `read` of them. `days`: messages of the days since the last record of its traffic.
 * `closed`: what that record was made of, which the next one says.
 */
type Topic = Readonly<{ projectId: string; topicId: string; subscriptionId: string }> & {
  sent: number;
  lastPublish: string | null;
  read: number;
  record: number;
  days: Readonly<Record<Day, number>>;
  closed: Pick<TrafficRecorded['data'], 'totals' | 'days'>;
};

export const YEARS = 3;
const YEAR_MS = 31_556_952_000;
const DAY_MS = 86_400_000;

const [TOPICS, INSTALLATIONS, RECORDS] = [100, 64, 10];
/** Messages that a subscription acknowledges at a time. */
const ACKNOWLEDGED = 50;
/** Appends under way at a time: they share commits. */
const AT_A_TIME = 2_000;
const MESSAGE_BYTES = 300;
const PAYLOAD = Buffer.alloc(MESSAGE_BYTES, 'x').toString('base64');

/** A tenant with a report of 2,000 endpoints, 64 installations, and 100 topics with a subscription each; the server that was needed has ended. */
export const openGrowthWorld = async (
  installation: Installation,
  end: (server: { pid: number }) => Promise<void>,
): Promise<GrowthWorld> => {
  const { tenant, places } = await installation.withRuntime(async (runtime) => ({
    tenant: await addTenant(runtime),
    places: await addInstallations(runtime, INSTALLATIONS),
  }));
  const server = await installation.serve();
  await addReport({ url: server.url, tenant });
  await messagingCall(server, 'POST', '/v1/projects/growth');
  for (let index = 0; index < TOPICS; index++) {
    await messagingCall(server, 'PUT', `/v1/projects/growth/topics/t${index}`);
    const topic = JSON.stringify({ topic: `projects/growth/topics/t${index}` });
    await messagingCall(server, 'PUT', `/v1/projects/growth/subscriptions/s${index}`, topic);
  }
  await end(server);
  return { tenant, places, topics: await installation.withRuntime(({ eventStore }) => topicsIn(eventStore)) };
};

const totalsOf = (messages: number, lastPublish: string | null): TrafficTotals => ({
  ...{ messages, bytes: messages * MESSAGE_BYTES, lastPublish, rate: lastPublish === null ? 0 : 1 },
});

const topicsIn = async (log: Pick<EventStore, 'readAll'>): Promise<readonly Topic[]> => {
  const { events } = await log.readAll({ after: 0n, limit: 10_000, categories: [RESOURCES_CATEGORY] });
  return events.flatMap(({ type, stream, data }): Topic[] => {
    if (type !== 'SubscriptionCreated') return [];
    const projectId = stream.slice(stream.indexOf('-') + 1);
    const ids = { projectId, topicId: String(data.topicId), subscriptionId: String(data.subscriptionId) };
    return [{ ...ids, sent: 0, lastPublish: null, read: 0, record: 0, days: {}, closed: { totals: totalsOf(0, null), days: {} } }];
  });
};

type Made = Readonly<{ stream: string; service: ServiceName; event: DomainEvent }>;

/** Of 100 events 68 are messages, 2 acknowledgements of 50 messages, 1 a record of a topic's traffic, 16 metric results of a host (5 metrics), 12 accounting metrics, 1 a change of weights. */
class Years {
  private readonly points: readonly MetricResultsRecorded[];
  private metrics = 0;
  private changes = 0;

  constructor(private readonly world: GrowthWorld) {
    const hosts = new Map<string, Record<string, string>[]>();
    for (const text of pointsOf({ day: '2000-01-01', each: 1, seconds: 1 })) {
      const point = JSON.parse(text) as Record<string, string>;
      const { host = '' } = point;
      hosts.set(host, [...(hosts.get(host) ?? []), { host, endpoint_group: '', message: '', ...point }]);
    }
    this.points = [...hosts.values()].map((results) => {
      const data = { tenantId: world.tenant.id, results } as unknown as MetricResultsRecorded['data'];
      return { type: 'MetricResultsRecorded', data };
    });
  }

  /** @param time milliseconds since 1970-01-01 UTC */
  event(index: number, time: number): Made {
    const of100 = index % 100;
    const at = Math.floor(index / 100);
    if (of100 < 68) return this.message(at * 68 + of100, time);
    if (of100 < 70) return this.acknowledgement(at * 2 + of100, time);
    if (of100 < 71) return this.traffic(at);
    if (of100 < 87) return this.results(at * 16 + of100, time);
    return of100 < 99 ? this.metric(time) : this.change(time);
  }

  private message(index: number, time: number): Made {
    const topic = this.topic(index);
    topic.sent += 1;
    const day = dayAt(time);
    topic.days = { ...topic.days, [day]: (topic.days[day] ?? 0) + 1 };
    const publishTime = new Date(time).toISOString();
    topic.lastPublish = publishTime;
    const data = { projectId: topic.projectId, publishTime, data: PAYLOAD };
    return { stream: messagesStream(topic.topicId), service: 'messaging', event: { type: 'MessagePublished', data } as MessagePublished };
  }

  private topic(index: number): Topic {
    const topic = this.world.topics[index % this.world.topics.length];
    if (!topic) throw new Error('there are no topics');
    return topic;
  }

  private acknowledgement(index: number, time: number): Made {
    const topic = this.topic(index);
    const { projectId, topicId, subscriptionId } = topic;
    topic.read = Math.min(topic.sent, topic.read + ACKNOWLEDGED);
    const totals = { messages: topic.read, bytes: topic.read * MESSAGE_BYTES, lastPull: new Date(time).toISOString(), rate: 1 };
    const cursor = { topicId, offset: topic.read, nextOffset: 0, pendingAck: null, ...totals };
    const event: CursorEvent = { type: 'BatchAcknowledged', data: { subscriptionId, projectId, cursor } };
    return { stream: cursorStream(subscriptionId), service: 'messaging', event };
  }

  private traffic(index: number): Made {
    const topic = this.topic(index);
    const { projectId, topicId, closed, days } = topic;
    topic.record += 1;
    topic.closed = { totals: totalsOf(topic.sent, topic.lastPublish), days };
    topic.days = Object.fromEntries(Object.entries(days).slice(-1)); // the day goes on
    const event: TrafficRecorded = { type: 'TrafficRecorded', data: { projectId, topicId, record: topic.record, ...closed } };
    return { stream: trafficStream(topicId), service: 'messaging', event };
  }

  private results(index: number, time: number): Made {
    const made = this.points[index % this.points.length];
    if (!made) throw new Error('there are no points');
    const timestamp = new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');
    const { tenantId, results } = made.data;
    const data = { tenantId, results: results.map((result) => ({ ...result, timestamp })) };
    return { stream: streamOfMetricData(tenantId), service: 'status', event: { ...made, data } };
  }

  private metric(time: number): Made {
    const number = this.metrics++;
    const place = this.world.places[number % this.world.places.length];
    if (!place) throw new Error('there are no installations');
    const metricId = objectId(time, number.toString(16).padStart(16, '0'));
    const event: MetricEvent = {
      type: 'MetricRecorded',
      data: {
        ...place,
        ...{
          metricId,
          providerId: 'bench-provider',
          periodStart: new Date(time - DAY_MS).toISOString(),
          periodEnd: new Date(time).toISOString(),
        },
        ...{ value: `${number % 100}.25`, groupId: null, userId: null, projectAcronym: 'BENCH', installation: place.installationId },
        ...{ infrastructure: 'bench', resource: null, creatorId: 'bench' },
      },
    };
    return { stream: metricStream(metricId), service: 'accounting', event };
  }

  private change(time: number): Made {
    const number = this.changes++;
    const id = `00000000-0000-4000-8000-${`${number % RECORDS}`.padStart(12, '0')}`;
    const change = number < RECORDS ? 'created' : 'added';
    const record = weightsOf(`record ${number % RECORDS}`, 6 + (number % 3));
    const data = { id, date: new Date(time).toISOString().slice(0, 10), change, record };
    return { stream: streamOfDated(weights, this.world.tenant.id), service: 'status', event: { type: weights.events.dated, data } };
  }
}

/** Expected revisions of streams that nobody else writes; with `any` the log would look for a repeat in the newest thousand events. */
class Revisions {
  private readonly counts = new Map<string, bigint>();

  next(stream: string): ExpectedRevision {
    const count = this.counts.get(stream) ?? 0n;
    this.counts.set(stream, count + 1n);
    return count === 0n ? 'no-stream' : count - 1n;
  }
}

const newEvent = ({ service, event }: Made, time: number): NewEvent => {
  const id = randomUUID();
  return {
    id,
    type: event.type,
    data: event.data as NewEvent['data'],
    metadata: {
      ...{ actor: { kind: 'system', id: 'bench' }, service, requestId: id, correlationId: id, causationId: id },
      ...{ time: new Date(time).toISOString(), schemaVersion: event.type === 'MetricResultsRecorded' ? 2 : 1 },
    },
  };
};

/**
 * Appends so many events. The times in their data are spread evenly over the three years before yesterday; log times are those of the appends, so that
 * retention keeps them.
 */
export const appendYears = async (log: Pick<EventStore, 'append'>, world: GrowthWorld, events: number): Promise<void> => {
  const years = new Years(world);
  const revisions = new Revisions();
  const begin = Date.now() - DAY_MS - YEARS * YEAR_MS;
  for (let first = 0; first < events; first += AT_A_TIME) {
    const appended = Array.from({ length: Math.min(AT_A_TIME, events - first) }, (_, offset) => {
      const time = begin + Math.floor(((first + offset) / events) * YEARS * YEAR_MS);
      const made = years.event(first + offset, time);
      return log.append(made.stream, [newEvent(made, time)], revisions.next(made.stream));
    });
    await Promise.all(appended);
  }
};
