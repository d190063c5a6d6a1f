import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { dayBefore, dayOf } from '#domain/shared/time.js';
import { METRIC_DATA_CATEGORY, type MetricResultsRecorded } from '#domain/status/metric-data/metric-data.js';
import { TENANTS_CATEGORY, type TenantDeleted } from '#domain/status/tenants/tenants.js';
import type { DocumentChange, DocumentKey, ReadDocument } from '#projections/shared/projection.js';
import { type EventOf, type Handler, readModel } from '#projections/shared/read-model.js';
import { tenantPartitionsOf } from '#projections/status/partitions.js';
import { sequenceOf } from '#projections/status/sequence.js';
import { bucketOf, bucketsFor, bucketsLike } from './buckets.js';
import {
  type BucketHead,
  type DayDocument,
  type OfBucket,
  type OfDay,
  partsIn,
  RESULTS,
  resultCollections,
  summaryOf,
  withPart,
} from './documents.js';
import { partOf } from './part.js';
import { type IndexedResult, RowPoints, rowOf } from './rows.js';

const { buckets, parts, texts, days, gone } = resultCollections;

type Recorded = EventOf<MetricResultsRecorded>;

/** Bytes of rows beyond which a part is closed. */
const MOST_ROWS = 96 * 1024;

const rowsOf = (of: OfBucket) => ({ ...of, part: 'rows' }) as const;
const headOf = (of: OfBucket) => ({ ...of, part: 'head' }) as const;

/** Documents as left by earlier events. */
class Stored {
  constructor(private readonly read: ReadDocument) {}

  day(of: OfDay): DayDocument | undefined {
    return this.read(days.name, days.key(of)) as DayDocument | undefined;
  }

  /** Bytes of the rows of a bucket's open part. 0: there are none. */
  rowsLength(of: OfBucket): number {
    return (this.read(buckets.name, buckets.key(rowsOf(of)), 'length') as number | undefined) ?? 0;
  }

  rows(of: OfBucket): string | undefined {
    return this.read(buckets.name, buckets.key(rowsOf(of)), 'lazy') as string | undefined;
  }

  head(of: OfBucket): BucketHead {
    const text = this.read(buckets.name, buckets.key(headOf(of)), 'lazy') as string | undefined;
    return text === undefined ? [] : (JSON.parse(text) as BucketHead);
  }
}

const twoDaysBefore = (day: string): string => dayBefore(dayBefore(day));

/** The results of an event on a day, by host. */
class DayOfEvent {
  private readonly byHost = new Map<string, IndexedResult[]>();
  readonly results: IndexedResult[] = [];

  constructor(
    private readonly event: Recorded,
    readonly day: string,
  ) {}

  add(one: IndexedResult): void {
    this.results.push(one);
    getOrInsert(this.byHost, one.result.host, () => []).push(one);
  }

  get of(): OfDay {
    return { tenantId: this.event.data.tenantId, day: this.day };
  }

  /** The documents of this day and of the days before it, which determine the number of buckets. */
  get days(): readonly OfDay[] {
    const { tenantId } = this.of;
    return [this.day, dayBefore(this.day), twoDaysBefore(this.day)].map((day) => ({ tenantId, day }));
  }

  count(stored: Stored): number {
    const [own, ...before] = this.days.map((of) => stored.day(of));
    return own?.buckets ?? bucketsFor(before.flatMap((one) => one?.points ?? []));
  }

  /** The hosts of each bucket. */
  buckets(count: number): ReadonlyMap<number, readonly string[]> {
    const found = new Map<number, string[]>();
    for (const host of this.byHost.keys()) getOrInsert(found, bucketOf(this.of.tenantId, host, count), () => []).push(host);
    return found;
  }

  /** Rows of these hosts. */
  rows(hosts: readonly string[]): string {
    return hosts.map((host) => rowOf(this.event.position, host, this.byHost.get(host) ?? [])).join('');
  }

  /** The document of the day after the event. */
  document(stored: DayDocument | undefined, count: number): DayDocument {
    const position = Number(this.event.position);
    const common = stored?.common ?? (this.results.some(({ result }) => result.report === undefined) ? position : undefined);
    return {
      buckets: count,
      points: (stored?.points ?? 0) + this.results.length,
      first: stored?.first ?? position,
      stamp: sequenceOf(this.event.position, this.results.at(-1)?.index ?? 0),
      ...(common !== undefined && { common }),
    };
  }
}

/** The days of an event, which is asked for them once for its reads and once for its changes. */
const knownDays = new WeakMap<Recorded, ReadonlyMap<string, DayOfEvent>>();

const daysOf = (event: Recorded): ReadonlyMap<string, DayOfEvent> => {
  const known = knownDays.get(event);
  if (known) return known;
  const all = new Map<string, DayOfEvent>();
  for (const [index, result] of event.data.results.entries()) {
    const day = dayOf(result.timestamp);
    getOrInsert(all, day, () => new DayOfEvent(event, day)).add({ result, index });
  }
  knownDays.set(event, all);
  return all;
};

/** The buckets two days before with the hosts of a bucket. They get no rows any more, apart from late ones. */
const earlierBuckets = ({ tenantId, day, bucket }: OfBucket, count: number, stored: Stored): readonly OfBucket[] => {
  const earlier = twoDaysBefore(day);
  const document = stored.day({ tenantId, day: earlier });
  return document ? bucketsLike(bucket, count, document.buckets).map((one) => ({ tenantId, day: earlier, bucket: one })) : [];
};

/** Turns rows of a bucket into a part. */
const closing = (of: OfBucket, rows: string, head: BucketHead): readonly DocumentChange[] => {
  const { set, textsOf } = new RowPoints(Buffer.from(rows));
  const part = partOf(set, textsOf);
  const place = { ...of, part: partsIn(head) };
  return [
    parts.put(place, part.points),
    texts.put(place, part.texts),
    buckets.put(headOf(of), JSON.stringify(withPart(head, summaryOf(set)))),
    buckets.remove(rowsOf(of)),
  ];
};

/** The changes of an event. Handlers see documents as of before it. */
class Changes {
  readonly all: DocumentChange[] = [];
  private readonly closed = new Set<string>();

  constructor(
    private readonly stored: Stored,
    /** Days to which the event adds rows. */
    private readonly added: ReadonlyMap<string, unknown>,
  ) {}

  addTo(of: OfBucket, rows: string, count: number): void {
    const length = this.stored.rowsLength(of);
    const isFull = length > 0 && length + Buffer.byteLength(rows) > MOST_ROWS;
    if (isFull) this.close(of);
    if (isFull || (length === 0 && this.stored.head(of).length === 0))
      for (const earlier of earlierBuckets(of, count, this.stored)) if (!this.added.has(earlier.day)) this.close(earlier);
    this.all.push(length === 0 || isFull ? buckets.put(rowsOf(of), rows) : buckets.append(rowsOf(of), rows));
  }

  /** Several buckets may lead to the same one of a day with fewer. */
  private close(of: OfBucket): void {
    const name = buckets.key(headOf(of));
    const rows = this.closed.has(name) ? undefined : this.stored.rows(of);
    this.closed.add(name);
    if (rows !== undefined) this.all.push(...closing(of, rows, this.stored.head(of)));
  }
}

/**
 * Rows are appended to the open part of their bucket. When it is closed depends on the log alone, so that a rebuild gives the same documents: before
 * rows that would make it too long; and when the same hosts get their first rows of the day after the next, or fill a part of it.
 */
const recorded: Handler<Recorded> = {
  reads: (event) => [...daysOf(event).values()].flatMap((day) => day.days.map((of) => days.at(of))),
  readsNext: (event, read) => {
    const stored = new Stored(read);
    const keys: DocumentKey[] = [];
    for (const day of daysOf(event).values()) {
      const count = day.count(stored);
      for (const bucket of day.buckets(count).keys()) {
        const of = { ...day.of, bucket };
        keys.push(buckets.lengthAt(rowsOf(of)));
        for (const one of [of, ...earlierBuckets(of, count, stored)]) keys.push(buckets.lazyAt(rowsOf(one)), buckets.lazyAt(headOf(one)));
      }
    }
    return keys;
  },
  apply: (event, read) => {
    const stored = new Stored(read);
    const all = daysOf(event);
    const changes = new Changes(stored, all);
    for (const day of all.values()) {
      const count = day.count(stored);
      changes.all.push(days.put(day.of, day.document(stored.day(day.of), count)));
      for (const [bucket, hosts] of day.buckets(count)) changes.addTo({ ...day.of, bucket }, day.rows(hosts), count);
    }
    return changes.all;
  },
};

/** Metric results, each stored once. Each carries its position in the log, so that reads of the past leave out what came later. */
export const resultsProjection = readModel<MetricResultsRecorded | TenantDeleted>(
  {
    name: RESULTS,
    version: 1,
    past: 'in-documents',
    service: 'status',
    categories: [METRIC_DATA_CATEGORY, TENANTS_CATEGORY],
    collections: Object.values(resultCollections),
    partitionsOf: tenantPartitionsOf([METRIC_DATA_CATEGORY]),
  },
  {
    MetricResultsRecorded: recorded,
    // Nothing of the tenant is shown from then on. Earlier positions still show it.
    TenantDeleted: ({ position, data }) => [gone.put(data.tenantId, { position: Number(position) })],
  },
);
