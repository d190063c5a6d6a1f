import { installationSubject } from '#domain/accounting/catalogue/catalogue-events.js';
import { record } from '#domain/accounting/record.js';
import type { CatalogueOf, EventSchema } from '#domain/shared/catalogue.js';
import { ended, none } from '#domain/shared/resource-change.js';

/** One stream per metric. */
export const METRIC_CATEGORY = 'accounting.metric';
export const metricStream = (metricId: string): string => `${METRIC_CATEGORY}-${metricId}`;

/** Periods are instants, UTC; `value` is a decimal number as text, exactly as it was sent. */
export type Metric = Readonly<{
  metricId: string;
  projectId: string;
  providerId: string;
  installationId: string;
  definitionId: string;
  periodStart: string;
  periodEnd: string;
  value: string;
  groupId: string | null;
  userId: string | null;
  /** Pseudonym of the user in the project, by which metrics of the user are found; absent for an empty user id. Made by the codec of events. */
  userKey?: string;
}>;

export type MetricEvent =
  /** With copies of the names that the installation had then (accounting contract 3.4). */
  | Readonly<{
      type: 'MetricRecorded';
      data: Metric &
        Readonly<{ projectAcronym: string; installation: string; infrastructure: string; resource: string | null; creatorId: string }>;
    }>
  /**
   * `before`: the values until now, so that sums can be corrected from this event alone. `fence`: how many times changes of the definition under way have
   * been forestalled so far (docs/decisions/0031); the event that does it changes nothing else. Absent: never.
   */
  | Readonly<{ type: 'MetricRevised'; data: Metric & Readonly<{ before: Metric; fence?: number }> }>
  /** The values until now. */
  | Readonly<{ type: 'MetricRemoved'; data: Metric }>;

const metric = record('metric', 'metricId', ['installation', 'installationId'], ['project', 'projectId']);
/** The user of a metric is sealed with the key of the installation, and found by a pseudonym. */
const measured: EventSchema = {
  sensitive: { subject: ({ installationId }) => installationSubject(installationId), members: ['userId', 'before.userId'] },
  pseudonyms: ['', 'before.'].map((part) => ({ of: `${part}userId`, as: 'userKey', within: `${part}projectId` })),
};
export const metricEvents: CatalogueOf<MetricEvent> = {
  MetricRecorded: { resource: metric, ...measured },
  MetricRevised: { resource: metric, ...measured },
  MetricRemoved: { resource: ended(metric), ...measured },
};

/** One stream for each use of an idempotency key (given as its hash) by a call that records a metric. */
export const METRIC_CALLS_CATEGORY = 'accounting.metric_call';
export const metricCallStream = (key: string): string => `${METRIC_CALLS_CATEGORY}-${key}`;

/** The metric of the call gets this id; it is recorded next. */
export type MetricCallEvent = Readonly<{ type: 'MetricSubmitted'; data: Readonly<{ metricId: string }> }>;
export const metricCallEvents: CatalogueOf<MetricCallEvent> = { MetricSubmitted: { resource: none } };
