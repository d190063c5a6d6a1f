import { installationSubject } from '#domain/accounting/catalogue/catalogue-events.js';
import { record } from '#domain/accounting/record.js';
import type { CatalogueOf, EventSchema } from '#domain/shared/catalogue.js';
import { ended, none } from '#domain/shared/resource-change.js';

/** One stream per metric. */
export const METRIC_CATEGORY = 'accounting.metric';
export const metricStream = (metricId: string): string => `${METRIC_CATEGORY}-${metricId}`;

/** Periods are UTC instants. `value`: decimal number as text, exactly as sent. */
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
  /** Pseudonym of the user in the project, used to find the user's metrics. Absent for an empty user id. The event codec generates it. */
  userKey?: string;
}>;

/** Names of the metric's installation when the metric is recorded. */
export type MetricCopies = Readonly<{
  projectAcronym: string;
  installation: string;
  infrastructure: string | null;
  resource: string | null;
  creatorId: string;
}>;

export type MetricEvent =
  /** Includes copies of the installation's names at that time (accounting contract 3.4). */
  | Readonly<{
      type: 'MetricRecorded';
      data: Metric & MetricCopies;
    }>
  /**
   * `before`: the previous values, so that sums can be corrected from this event alone. `fence`: number of pending definition changes that have been
   * forestalled so far (docs/decisions/0031), absent for 0. The event that forestalls one changes nothing else.
   */
  | Readonly<{ type: 'MetricRevised'; data: Metric & Readonly<{ before: Metric; fence?: number }> }>
  /** The last values. */
  | Readonly<{ type: 'MetricRemoved'; data: Metric }>;

const metric = record('metric', 'metricId', ['installation', 'installationId'], ['project', 'projectId']);
/** The user of a metric is encrypted with the key of the installation, and can be found by a pseudonym. */
const measured: EventSchema = {
  sensitive: { subject: ({ installationId }) => installationSubject(installationId), members: ['userId', 'before.userId'] },
  pseudonyms: ['', 'before.'].map((part) => ({ of: `${part}userId`, as: 'userKey', within: `${part}projectId` })),
};
export const metricEvents: CatalogueOf<MetricEvent> = {
  MetricRecorded: { resource: metric, ...measured },
  MetricRevised: { resource: metric, ...measured },
  MetricRemoved: { resource: ended(metric), ...measured },
};

/** One stream per idempotency key (given as its hash) of a call that records a metric. */
export const METRIC_CALLS_CATEGORY = 'accounting.metric_call';
export const metricCallStream = (key: string): string => `${METRIC_CALLS_CATEGORY}-${key}`;

/** Assigns the metric id to the call. The metric is recorded next. */
export type MetricCallEvent = Readonly<{ type: 'MetricSubmitted'; data: Readonly<{ metricId: string }> }>;
export const metricCallEvents: CatalogueOf<MetricCallEvent> = { MetricSubmitted: { resource: none } };
