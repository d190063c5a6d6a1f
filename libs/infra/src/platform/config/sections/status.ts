import { IsIn, IsInt, IsOptional, Matches, Max, Min } from 'class-validator';
import { Integer, List } from '#infra/platform/config/checks.js';
import type { QuotaLimits } from '#infra/platform/scheduling/quota.js';

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
  @Min(200_000)
  @Max(1_000_000_000)
  @IsInt({ message: 'must be a number of items' })
  @Integer()
  LOGBOOK_RESULTS_CALL_LIMIT = 20_000_000;

  /** Metric results that a tenant may send in an hour. Default: any number. */
  @IsOptional()
  @Min(1)
  @IsInt({ message: 'must be a number of results' })
  @Integer()
  LOGBOOK_QUOTA_TENANT_RESULTS?: number;

  /** Bytes of the calls with metric results of a tenant in an hour. Default: any number. */
  @IsOptional()
  @Min(1)
  @IsInt({ message: 'must be a number of bytes' })
  @Integer()
  LOGBOOK_QUOTA_TENANT_BYTES?: number;

  /** Whether a data feed may name tenants that have not agreed. */
  @IsIn(FEEDS_DATA, { message: 'must be agreed or open' })
  LOGBOOK_FEEDS_DATA: FeedsData = 'agreed';
}

/** `tenant`: id or name. `deadLetterTopic`: empty if there is none. */
export type ConfiguredMetricSource = Readonly<{ tenant: string; project: string; subscription: string; deadLetterTopic: string }>;

export type StatusSettings = Readonly<{
  metricSources: readonly ConfiguredMetricSource[];
  resultsCallLimit: number;
  /** Of a tenant, in an hour; its messages are metric results. */
  tenantQuota: QuotaLimits;
  feedsData: FeedsData;
}>;

/** `<tenant>=<project>/<subscription>[/<dead letter topic>]` */
const metricSourceOf = (text: string): ConfiguredMetricSource => {
  const [tenant = '', path = ''] = text.split('=');
  const [project = '', subscription = '', deadLetterTopic = ''] = path.split('/');
  return { tenant, project, subscription, deadLetterTopic };
};

export const statusSettings = (given: StatusVariables): StatusSettings => ({
  metricSources: given.LOGBOOK_METRIC_SOURCES.map(metricSourceOf),
  resultsCallLimit: given.LOGBOOK_RESULTS_CALL_LIMIT,
  tenantQuota: { messages: given.LOGBOOK_QUOTA_TENANT_RESULTS, bytes: given.LOGBOOK_QUOTA_TENANT_BYTES },
  feedsData: given.LOGBOOK_FEEDS_DATA,
});
