import { Matches } from 'class-validator';
import { List } from '#infra/config/checks.js';

export class StatusVariables {
  /** Subscriptions from which metric data of tenants come. */
  @Matches(/^[^=,]+=[\w-]+\/[\w-]+(\/[\w-]+)?$/, {
    each: true,
    message: 'must be a list of <tenant>=<project>/<subscription>[/<dead letter topic>], separated by commas',
  })
  @List()
  LOGBOOK_METRIC_SOURCES: readonly string[] = [];
}

/** `tenant`: id or name. `deadLetterTopic`: empty if there is none. */
export type ConfiguredMetricSource = Readonly<{ tenant: string; project: string; subscription: string; deadLetterTopic: string }>;

export type StatusSettings = Readonly<{ metricSources: readonly ConfiguredMetricSource[] }>;

/** `<tenant>=<project>/<subscription>[/<dead letter topic>]` */
const metricSourceOf = (text: string): ConfiguredMetricSource => {
  const [tenant = '', path = ''] = text.split('=');
  const [project = '', subscription = '', deadLetterTopic = ''] = path.split('/');
  return { tenant, project, subscription, deadLetterTopic };
};

export const statusSettings = (given: StatusVariables): StatusSettings => ({
  metricSources: given.LOGBOOK_METRIC_SOURCES.map(metricSourceOf),
});
