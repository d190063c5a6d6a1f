import { commandWith } from '#api/shared/commands/command-of.js';
import { toStreams } from '#api/shared/commands/handlers.js';
import * as errors from '#api/status/errors.js';
import { toTenants } from '#api/status/tenants/commands.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { metricBatches, streamOfMetricBatches } from '#domain/status/metric-source/metric-batches.js';
import { type MetricSource, metricSources, streamOfMetricSource } from '#domain/status/metric-source/metric-source.js';
import { AccountQueries } from '#projections/messaging/accounts/queries.js';
import { ResourceQueries } from '#projections/messaging/resources/queries.js';
import { MetricSourceQueries } from '#projections/status/metric-source/queries.js';
import { TenantQueries } from '#projections/status/tenants/queries.js';

/** A metric source by names. An empty `deadLetterTopic` means none. */
type NamedSource = Readonly<{ project: string; subscription: string; deadLetterTopic: string }>;

type OfTenant = Readonly<{ tenantId: string }>;

/** @throws StatusError `E422` */
const sourceOf = async (
  accounts: AccountQueries,
  resources: ResourceQueries,
  { project: projectName, subscription: name, deadLetterTopic }: NamedSource,
): Promise<MetricSource> => {
  const project = await accounts.projectNamed(projectName);
  if (!project) throw errors.unprocessable(`Project ${projectName} does not exist`);
  const { projectId } = project;
  const subscription = await resources.subscription(projectId, name);
  if (!subscription) throw errors.unprocessable(`Subscription ${name} does not exist in project ${projectName}`);
  if (subscription.push) throw errors.unprocessable(`Subscription ${name} is in push mode`);
  if (subscription.options?.ackMode === 'message') throw errors.unprocessable(`Subscription ${name} acknowledges messages one by one`);
  if (deadLetterTopic === '') return { projectId, subscription: name };
  if (!(await resources.topic(projectId, deadLetterTopic)))
    throw errors.unprocessable(`Topic ${deadLetterTopic} does not exist in project ${projectName}`);
  if (deadLetterTopic === subscription.topic) throw errors.unprocessable(`Topic ${deadLetterTopic} is the one that the subscription reads`);
  return { projectId, subscription: name, deadLetterTopic };
};

const toSource = toStreams(metricSources, ({ tenantId }) => streamOfMetricSource(tenantId));

/**
 * Connects a tenant to the subscription with its metric data.
 * @throws StatusError `E404` unknown tenant, `E422` a source that does not exist or cannot be pulled, `E409` another tenant has it
 */
export class ConnectMetricSource extends commandWith(
  [TenantQueries, AccountQueries, ResourceQueries, MetricSourceQueries],
  async ({ tenantId, named }: OfTenant & Readonly<{ named: NamedSource }>, { context, gateway }, tenants, accounts, resources, sources) => {
    if (!(await tenants.tenant(tenantId))) throw errors.notFound();
    const source = await sourceOf(accounts, resources, named);
    const { projectId, subscription } = source;
    const all = await sources.all(new TimeSlice());
    const isTaken = all.some(
      (other) => other.tenantId !== tenantId && other.source.projectId === projectId && other.source.subscription === subscription,
    );
    if (isTaken) throw errors.conflict(`Subscription ${subscription} is the metric source of another tenant`);
    const connecting = toSource(context, { type: 'ConnectMetricSource', tenantId, source });
    const owner = toTenants(context, { type: 'RequireTenant', tenantId });
    return gateway.executeFor(connecting, owner, toSource(context, { type: 'DisconnectMetricSource', tenantId }));
  },
) {}

/** Disconnects a tenant from its subscription. Messages that were not pulled stay there. @throws StatusError `E404` if there is none */
export class DisconnectMetricSource extends commandWith(
  [MetricSourceQueries],
  async ({ tenantId }: OfTenant, { context, gateway }, sources) => {
    if (!(await sources.source(tenantId))) throw errors.notFound();
    return gateway.execute(toSource(context, { type: 'DisconnectMetricSource', tenantId }));
  },
) {}

/**
 * Requests a retry of the messages that were set aside since an instant (`YYYY-MM-DDTHH:MM:SSZ`; empty for all), in batches, by the node
 * that works on the source. A new request replaces a running one. @throws StatusError `E404` without a source
 */
export class RetryMetricMessages extends commandWith(
  [MetricSourceQueries],
  async (data: OfTenant & Readonly<{ since: string }>, { context, gateway }, sources) => {
    if (!(await sources.source(data.tenantId))) throw errors.notFound();
    const stream = streamOfMetricBatches(data.tenantId);
    return gateway.execute({ stream, decider: metricBatches, context, command: { type: 'RequestRetry', ...data } });
  },
) {}
