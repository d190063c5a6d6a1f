import { IsOptional, Matches } from 'class-validator';
import { Integer, List, OneOf } from '#infra/platform/config/checks.js';

const FEEDS_DATA = ['agreed', 'open'] as const;
/** `agreed`: a tenant's topology is shown to tenants that it has agreed with; `open`: to every tenant whose data feed names it. */
type FeedsData = (typeof FEEDS_DATA)[number];

export class StatusVariables {
  /** Subscriptions from which metric data of tenants come. */
  @Matches(/^[^=,]+=[\w-]+\/[\w-]+(\/[\w-]+)?$/, {
    each: true,
    message: 'must be a list of <tenant>=<project>/<subscription>[/<dead letter topic>], separated by commas',
  })
  @List()
  LOGBOOK_METRIC_SOURCES: readonly string[] = [];

  /** Items, counted for each day, that a call for computed results reads at most. */
  @Integer('must be a number of items', 200_000, 1_000_000_000)
  LOGBOOK_RESULTS_CALL_LIMIT = 20_000_000;

  /** Metric results that a tenant may send in an hour. Default: any number. */
  @IsOptional()
  @Integer('must be a number of results', 1)
  LOGBOOK_QUOTA_TENANT_RESULTS?: number;

  /** Bytes of the calls with metric results of a tenant in an hour. Default: any number. */
  @IsOptional()
  @Integer('must be a number of bytes', 1)
  LOGBOOK_QUOTA_TENANT_BYTES?: number;

  /** Whether a data feed may name tenants that have not agreed. */
  @OneOf(FEEDS_DATA)
  LOGBOOK_FEEDS_DATA: FeedsData = 'agreed';
}

/** `tenant`: id or name. `deadLetterTopic`: empty if there is none. */
export type ConfiguredMetricSource = Readonly<{ tenant: string; project: string; subscription: string; deadLetterTopic: string }>;

/** `<tenant>=<project>/<subscription>[/<dead letter topic>]` */
const metricSourceOf = (text: string): ConfiguredMetricSource => {
  const [tenant = '', path = ''] = text.split('=');
  const [project = '', subscription = '', deadLetterTopic = ''] = path.split('/');
  return { tenant, project, subscription, deadLetterTopic };
};

export const statusSettings = (given: StatusVariables) => ({
  metricSources: given.LOGBOOK_METRIC_SOURCES.map(metricSourceOf),
  resultsCallLimit: given.LOGBOOK_RESULTS_CALL_LIMIT,
  /** Of a tenant, in an hour; its messages are metric results. */
  tenantQuota: { messages: given.LOGBOOK_QUOTA_TENANT_RESULTS, bytes: given.LOGBOOK_QUOTA_TENANT_BYTES },
  feedsData: given.LOGBOOK_FEEDS_DATA,
});
