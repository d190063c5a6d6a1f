import type { FoundChange, ParentStatuses, Status } from '#domain/status/notifications/status-changes.js';
import type { ChangeCauses, FoundCause } from './change-causes.js';
import { type EndpointName, endpointName, type GroupMetrics } from './endpoint-metrics.js';
import { type EndpointSteps, type GroupSteps, holdingAt } from './item-steps.js';
import type { NewStatus } from './status-delta.js';

/** Maximum number of endpoints of a group, or metrics of an endpoint, in a notice. */
const MOST_LISTED = 200;

/** `service`: empty for the group. */
const culpritKey = (instant: string, service: string): string => JSON.stringify([instant, service]);

/** Adds causes and surrounding statuses to the changes in a group. */
export class FoundChanges {
  private readonly byName: ReadonlyMap<string, EndpointSteps>;

  constructor(
    private readonly steps: GroupSteps,
    private readonly metrics: GroupMetrics,
    private readonly causes: ChangeCauses,
  ) {
    this.byName = new Map(steps.endpoints.map((one) => [endpointName(one.item), one]));
  }

  /** Keeps the order of the changes. Reads the metrics that may have caused them. */
  async of(changes: readonly NewStatus[]): Promise<readonly FoundChange[]> {
    const first = this.firstChanged(changes);
    const culprits = changes.map(({ level, service, hostname, since }) =>
      level === 'endpoint' || level === 'metric' ? { service, hostname } : first.get(culpritKey(since, service)),
    );
    await this.metrics.read(culprits.flatMap((one) => one ?? []));
    const found: FoundChange[] = [];
    for (const [index, change] of changes.entries()) found.push(await this.found(change, culprits[index]));
    return found;
  }

  /** The first endpoints that changed with the group or a service, by {@link culpritKey}. */
  private firstChanged(changes: readonly NewStatus[]): ReadonlyMap<string, EndpointName> {
    const instants = new Set(changes.flatMap(({ level, since }) => (level === 'group' || level === 'service' ? [since] : [])));
    const first = new Map<string, EndpointName>();
    if (instants.size === 0) return first;
    for (const { item, steps } of this.steps.endpoints) {
      for (const { since } of steps.slice(1)) {
        if (!instants.has(since)) continue;
        for (const key of [culpritKey(since, ''), culpritKey(since, item.service)])
          if (!first.has(key)) first.set(key, { service: item.service, hostname: item.hostname });
      }
    }
    return first;
  }

  private async found(change: NewStatus, culprit: EndpointName | undefined): Promise<FoundChange> {
    const { cause, source } = await this.causeOf(change, culprit);
    const { level, since, service } = change;
    const endpoint = culprit && this.byName.get(endpointName(culprit));
    const metric = level === 'metric' ? change.metric : source?.metric;
    const about = level === 'group' ? culprit?.service : service;
    const around: ParentStatuses = {
      ...at('group', this.steps.group.steps, since),
      ...at('service', this.steps.services.find(({ item }) => item.service === about)?.steps, since),
      ...at('endpoint', endpoint?.steps, since),
      ...at('metric', metric === undefined || !culprit ? undefined : this.metrics.of(culprit).steps.get(metric), since),
    };
    const isOfHost = level === 'endpoint' || level === 'metric';
    return {
      ...change,
      cause,
      ...(source && { source }),
      ...(isOfHost && endpoint?.url && { url: endpoint.url }),
      around,
      ...(level === 'group' && this.endpointsAt(since)),
      ...(level === 'endpoint' && culprit && this.metricsAt(culprit, since)),
    };
  }

  private async causeOf(change: NewStatus, culprit: EndpointName | undefined): Promise<FoundCause> {
    const { level, since, metric } = change;
    if (!culprit) return { cause: await this.causes.otherCause(since) };
    if (level === 'metric') return this.causes.ofEndpoint(culprit, change, this.metrics, metric);
    if (level === 'endpoint') return this.causes.ofEndpoint(culprit, change, this.metrics);
    const status = holdingAt(this.byName.get(endpointName(culprit))?.steps ?? [], since)?.status ?? change.status;
    const { cause, source } = await this.causes.ofEndpoint(culprit, { since, status }, this.metrics);
    return { cause: { type: 'endpoint', ...culprit, cause }, ...(source && { source }) };
  }

  private endpointsAt(instant: string): Pick<FoundChange, 'endpoints'> {
    const { endpoints } = this.steps;
    if (endpoints.length > MOST_LISTED) return {};
    return {
      endpoints: endpoints.flatMap(({ item, steps }) => {
        const holding = holdingAt(steps, instant);
        return holding ? [{ service: item.service, hostname: item.hostname, status: holding.status }] : [];
      }),
    };
  }

  private metricsAt(endpoint: EndpointName, instant: string): Pick<FoundChange, 'metrics'> {
    const { steps } = this.metrics.of(endpoint);
    if (steps.size > MOST_LISTED) return {};
    return {
      metrics: [...steps].flatMap(([metric, some]) => {
        const holding = holdingAt(some, instant);
        return holding ? [{ metric, status: holding.status }] : [];
      }),
    };
  }
}

const at = (level: keyof ParentStatuses, steps: readonly Status[] | undefined, instant: string): ParentStatuses => {
  const holding = steps && holdingAt(steps, instant);
  return holding ? { [level]: holding } : {};
};
