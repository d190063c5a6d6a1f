import type { CatalogueOf } from '#domain/shared/catalogue.js';
import type { Decider } from '#domain/shared/decider.js';
import { none } from '#domain/shared/resource-change.js';

/**
 * The messaging subscription from which a tenant's metric data comes. The project is stored by id, subscription and topic by name: a recreated one
 * replaces the old one.
 */
export type MetricSource = Readonly<{
  projectId: string;
  subscription: string;
  /** Topic of the same project that receives messages that are not metric data. Absent: such messages are only counted. */
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
/** One stream per tenant, because a tenant has at most one source. */
export const streamOfMetricSource = (tenantId: string): string => `${METRIC_SOURCES_CATEGORY}-${tenantId}`;

export const metricSourceEvents: CatalogueOf<MetricSourceEvent> = {
  MetricSourceConnected: { resource: none },
  MetricSourceDisconnected: { resource: none },
};

const isSame = (one: MetricSource | null, other: MetricSource): boolean =>
  one?.projectId === other.projectId && one.subscription === other.subscription && one.deadLetterTopic === other.deadLetterTopic;

/** The rules of a tenant's metric source. It is replaced as a whole. An equal one changes nothing. Removing a missing source is allowed. */
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
