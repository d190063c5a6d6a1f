import { installationSubject } from '#domain/accounting/catalogue/catalogue-events.js';
import type { EventCatalogue, EventSchema } from '#domain/shared/catalogue.js';

/** One stream for metric definitions, unit types and metric types: they name each other and are unique without regard to letter case. */
export const DEFINITIONS_CATEGORY = 'accounting.definitions';
export const DEFINITIONS_STREAM = `${DEFINITIONS_CATEGORY}-global`;

export type MetricDefinition = Readonly<{ metric_name: string; metric_description: string | null; unit_type: string; metric_type: string }>;

export type DefinitionEvent =
  | Readonly<{ type: 'MetricDefinitionCreated'; data: Readonly<{ definitionId: string; creatorId: string }> & MetricDefinition }>
  /** The values that hold from now on. */
  | Readonly<{ type: 'MetricDefinitionRevised'; data: Readonly<{ definitionId: string }> & MetricDefinition }>
  | Readonly<{ type: 'MetricDefinitionDeleted'; data: Readonly<{ definitionId: string }> }>
  | Readonly<{ type: 'UnitTypeCreated'; data: Readonly<{ typeId: string; creatorId: string; value: string; description: string }> }>
  | Readonly<{ type: 'UnitTypeRevised'; data: Readonly<{ typeId: string; value: string; description: string }> }>
  | Readonly<{ type: 'UnitTypeDeleted'; data: Readonly<{ typeId: string }> }>
  | Readonly<{ type: 'MetricTypeCreated'; data: Readonly<{ typeId: string; creatorId: string; value: string; description: string }> }>
  | Readonly<{ type: 'MetricTypeRevised'; data: Readonly<{ typeId: string; value: string; description: string }> }>
  | Readonly<{ type: 'MetricTypeDeleted'; data: Readonly<{ typeId: string }> }>;

export const definitionEvents: EventCatalogue = {
  MetricDefinitionCreated: {},
  MetricDefinitionRevised: {},
  MetricDefinitionDeleted: {},
  UnitTypeCreated: {},
  UnitTypeRevised: {},
  UnitTypeDeleted: {},
  MetricTypeCreated: {},
  MetricTypeRevised: {},
  MetricTypeDeleted: {},
};

/** One stream per installation: (definition, instant) is unique in it. */
export const CAPACITIES_CATEGORY = 'accounting.capacities';
export const capacitiesStream = (installationId: string): string => `${CAPACITIES_CATEGORY}-${installationId}`;

/** `value` is a decimal number as text, exactly as it was sent; `registeredOn` an instant with milliseconds, UTC. */
export type CapacityEvent =
  | Readonly<{
      type: 'CapacityRegistered';
      data: Readonly<{
        projectId: string;
        installationId: string;
        capacityId: string;
        definitionId: string;
        value: string;
        registeredOn: string;
      }>;
    }>
  /** The values that hold from now on. */
  | Readonly<{
      type: 'CapacityRevised';
      data: Readonly<{ projectId: string; installationId: string; capacityId: string; value: string; registeredOn: string }>;
    }>;
export const capacityEvents: EventCatalogue = { CapacityRegistered: {}, CapacityRevised: {} };

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
  /** Stands for a user id in the project wherever it must be found; none for an empty one. The codec of events makes it. */
  userKey?: string;
}>;

export type MetricEvent =
  /** With copies of what the installation was called then (accounting contract 3.4). */
  | Readonly<{
      type: 'MetricRecorded';
      data: Metric &
        Readonly<{ projectAcronym: string; installation: string; infrastructure: string; resource: string | null; creatorId: string }>;
    }>
  /** `before`: the values that hold no longer, so that sums can be corrected from this event alone. */
  | Readonly<{ type: 'MetricRevised'; data: Metric & Readonly<{ before: Metric }> }>
  /** The values that hold no longer. */
  | Readonly<{ type: 'MetricRemoved'; data: Metric }>;

/** Who a metric is about is sealed, and found by a hash: it goes with the installation. */
const measured: EventSchema = {
  sensitive: { subject: ({ installationId }) => installationSubject(installationId), members: ['userId', 'before.userId'] },
  pseudonyms: ['', 'before.'].map((part) => ({ of: `${part}userId`, as: 'userKey', within: `${part}projectId` })),
};
export const metricEvents: EventCatalogue = { MetricRecorded: measured, MetricRevised: measured, MetricRemoved: measured };

/** One stream for each use of an idempotency key (given as its hash) by a call that records a metric. */
export const METRIC_CALLS_CATEGORY = 'accounting.metric_call';
export const metricCallStream = (key: string): string => `${METRIC_CALLS_CATEGORY}-${key}`;

/** The metric of the call gets this id; it is recorded next. */
export type MetricCallEvent = Readonly<{ type: 'MetricSubmitted'; data: Readonly<{ metricId: string }> }>;
export const metricCallEvents: EventCatalogue = { MetricSubmitted: {} };
