import { combined, integer, list, oneOf, variable } from '#infra/platform/config/variables.js';

/** `tenant`: id or name. `deadLetterTopic`: empty if there is none. */
export type ConfiguredMetricSource = Readonly<{ tenant: string; project: string; subscription: string; deadLetterTopic: string }>;

/** `<tenant>=<project>/<subscription>[/<dead letter topic>]` */
const metricSourceOf = (text: string): ConfiguredMetricSource => {
  const [tenant = '', path = ''] = text.split('=');
  const [project = '', subscription = '', deadLetterTopic = ''] = path.split('/');
  return { tenant, project, subscription, deadLetterTopic };
};

const metricSources = list([
  (one) => /^[^=,]+=[\w-]+\/[\w-]+(\/[\w-]+)?$/.test(one),
  'must be a list of <tenant>=<project>/<subscription>[/<dead letter topic>], separated by commas',
]);

export const statusSettings = {
  /** Subscriptions from which metric data of tenants come. */
  metricSources: combined({ given: variable('LOGBOOK_METRIC_SOURCES', metricSources, []) }, ({ given }) => given.map(metricSourceOf)),
  /** Items, counted for each day, that a call for computed results reads at most. */
  resultsCallLimit: variable('LOGBOOK_RESULTS_CALL_LIMIT', integer('must be a number of items', 200_000, 1_000_000_000), 20_000_000),
  /** Metric results that a tenant may send in an hour, and bytes of its calls with them. Default: any number. */
  tenantQuota: combined(
    {
      messages: variable('LOGBOOK_QUOTA_TENANT_RESULTS', integer('must be a number of results', 1)),
      bytes: variable('LOGBOOK_QUOTA_TENANT_BYTES', integer('must be a number of bytes', 1)),
    },
    (quota) => quota,
  ),
  /** `agreed`: a tenant's topology is shown to tenants that it has agreed with; `open`: to every tenant whose data feed names it. */
  feedsData: variable('LOGBOOK_FEEDS_DATA', oneOf(['agreed', 'open']), 'agreed'),
};
