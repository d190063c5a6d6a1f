import type { CatalogueOf } from '#domain/shared/catalogue.js';
import type { Decider } from '#domain/shared/decider.js';
import { none } from '#domain/shared/resource-change.js';

/**
 * The subscription of the messaging service from which a tenant's metric data come. The project is kept by its id,
 * subscription and topic by their names: one that is created anew takes the place of the old one.
 */
export type MetricSource = Readonly<{
  projectId: string;
  subscription: string;
  /** Topic of the same project that gets messages which are no metric data. Absent: they are only counted. */
  deadLetterTopic?: string;
}>;

type OfTenant = Readonly<{ tenantId: string }>;

export type MetricSourceEvent =
  | Readonly<{ type: 'MetricSourceConnected'; data: OfTenant & MetricSource }>
  | Readonly<{ type: 'MetricSourceDisconnected'; data: OfTenant }>;

type MetricSourceCommand =
  | (Readonly<{ type: 'ConnectMetricSource'; source: MetricSource }> & OfTenant)
  | (Readonly<{ type: 'DisconnectMetricSource' }> & OfTenant);

export const METRIC_SOURCES_CATEGORY = 'status.metric_sources';
/** One stream for each tenant: it has one source at most. */
export const streamOfMetricSource = (tenantId: string): string => `${METRIC_SOURCES_CATEGORY}-${tenantId}`;

export const metricSourceEvents: CatalogueOf<MetricSourceEvent> = {
  MetricSourceConnected: { resource: none },
  MetricSourceDisconnected: { resource: none },
};

const isSame = (one: MetricSource | null, other: MetricSource): boolean =>
  one?.projectId === other.projectId && one.subscription === other.subscription && one.deadLetterTopic === other.deadLetterTopic;

/** The rules of a tenant's metric source: it is replaced as a whole, and an equal one changes nothing. A source that is not there may be removed. */
export const metricSources: Decider<Readonly<{ source: MetricSource | null }>, MetricSourceCommand, MetricSourceEvent> = {
  window: 1,
  initialState: () => ({ source: null }),
  decide: (command, { source }) => {
    const { tenantId } = command;
    if (command.type === 'DisconnectMetricSource') return source ? [{ type: 'MetricSourceDisconnected', data: { tenantId } }] : [];
    const { projectId, subscription, deadLetterTopic } = command.source;
    if (isSame(source, command.source)) return [];
    const data = { tenantId, projectId, subscription, ...(deadLetterTopic !== undefined && { deadLetterTopic }) };
    return [{ type: 'MetricSourceConnected', data }];
  },
  evolve: (_state, event) => ({ source: event.type === 'MetricSourceConnected' ? event.data : null }),
};
