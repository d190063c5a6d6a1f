import { streamOfHost } from '#domain/status/metric-data/earlier-releases.js';
import { type MetricResult, metricData, streamOfMetricData } from '#domain/status/metric-data/metric-data.js';
import { LeftOut } from '../migration.js';
import { quietly } from '../read/fields.js';
import type { DocumentOrigin } from '../write/event-ids.js';
import { allPresent } from './all-of-list.js';
import { pointDocument, pointKey } from './documents/point-documents.js';
import type { StatusMigration, TenantRow } from './row.js';

/** Maximum results per event, as for a call. */
const [MOST_RESULTS, MOST_CHARACTERS] = [999, 200_000];
/** Maximum results of a part: releases up to 1.0.0 wrote an event for each, in the stream of the host. */
const MOST_IN_PART = 32;

/** Results that are written together. `origin`: of the first. */
type Gathered = { readonly results: MetricResult[]; characters: number; readonly origin: DocumentOrigin };

/** Events of a tenant. Each consists of parts, so that a migration begun by an earlier release is continued. */
class PointEvents {
  private part: Gathered | undefined;
  private event: Gathered | undefined;

  constructor(
    private readonly migration: StatusMigration,
    private readonly tenantId: string,
  ) {}

  async add(result: MetricResult, origin: DocumentOrigin): Promise<void> {
    if (this.part?.results[0]?.host !== result.host) await this.closePart();
    this.part ??= { results: [], characters: 0, origin };
    this.part.results.push(result);
    this.part.characters += JSON.stringify(result).length;
    if (this.part.results.length === MOST_IN_PART || this.part.characters > MOST_CHARACTERS) await this.closePart();
  }

  async close(): Promise<void> {
    await this.closePart();
    await this.write();
    await this.migration.writer.flush();
  }

  private async closePart(): Promise<void> {
    const { part } = this;
    this.part = undefined;
    if (!part) return;
    const { results, characters, origin } = part;
    const stream = streamOfHost(this.tenantId, results[0]?.host ?? '');
    if (await this.migration.writer.has({ origin, stream, decider: metricData })) return this.areFound(part);
    const { event } = this;
    if (event && (event.results.length + results.length > MOST_RESULTS || event.characters + characters > MOST_CHARACTERS))
      await this.write();
    this.event ??= { results: [], characters: 0, origin };
    this.event.results.push(...results);
    this.event.characters += characters;
  }

  private async write(): Promise<void> {
    const { event, tenantId } = this;
    this.event = undefined;
    if (!event) return;
    const { results, origin } = event;
    const command = { type: 'RecordMetricResults', tenantId, events: [{ results }] } as const;
    const last =
      results
        .map(({ timestamp }) => timestamp)
        .toSorted()
        .at(-1) ?? '';
    const steps = [{ command, time: last.replace('Z', '.000Z') }];
    const written = await this.migration.writer.decide({ origin, stream: streamOfMetricData(tenantId), decider: metricData, steps });
    if (written === 'present') this.areFound(event);
  }

  private areFound({ results, origin }: Gathered): void {
    allPresent(this.migration.report, origin.collection, results.length);
  }
}

/** The points behind the computed statuses of the original: each report has its own copy of them. */
export const pointRow: TenantRow = {
  collection: 'status_metrics',
  isTaken: ({ points }) => points === true,
  repeats: true,
  take: (migration, tenant) => {
    const events = new PointEvents(migration, tenant.tenantId);
    let last: string | undefined;
    return {
      sortedBy: (fields) => quietly(() => pointKey(fields)) ?? '',
      each: async ({ fields, origin }) => {
        const key = pointKey(fields);
        const result = pointDocument(fields);
        if (key === last) throw new LeftOut('the same point of another report');
        last = key;
        await events.add(result, origin);
        return 'written';
      },
      end: () => events.close(),
    };
  },
};
