import { byBytes } from '#domain/shared/text/text-order.js';
import type { AggregationProfile } from '#domain/status/dated-records/aggregation-profiles.js';
import type { MetricProfile } from '#domain/status/dated-records/metric-profiles.js';
import type { PlannedEndpoint } from '#domain/status/results/plan.js';

/** The expected metrics of each service, in order, for services with metrics in a group of the aggregation profile (results contract 1). */
export const expectedMetrics = (metrics: MetricProfile, { groups }: AggregationProfile): ReadonlyMap<string, readonly string[]> => {
  const grouped = new Set(groups.flatMap(({ services }) => services.map(({ name }) => name)));
  const expected = new Map<string, Set<string>>();
  for (const { service, metrics: names } of metrics.services) {
    if (!grouped.has(service) || names.length === 0) continue;
    const known = expected.get(service) ?? new Set();
    for (const name of names) known.add(name);
    expected.set(service, known);
  }
  return new Map([...expected].map(([service, names]) => [service, [...names].sort(byBytes)]));
};

const INFO = 'info_';

/** The non-empty `info_…` tags of an endpoint, without that prefix. `undefined` if there are none (results contract 1). */
export const infoOf = (tags: Readonly<Record<string, string>> | null | undefined): PlannedEndpoint['info'] => {
  const info = Object.entries(tags ?? {}).filter(([tag, value]) => tag.startsWith(INFO) && value !== '');
  return info.length > 0 ? Object.fromEntries(info.map(([tag, value]) => [tag.slice(INFO.length), value])) : undefined;
};
