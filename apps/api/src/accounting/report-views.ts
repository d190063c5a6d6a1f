import { wireInstant } from '#domain/accounting/instants.js';
import type { ProjectDocument } from '#projections/accounting/catalogue-documents.js';
import { Numeral, wireText } from '#projections/accounting/wire.js';
import { aggregateOf, type DefinitionTotal, type InstallationUsage, type PeriodUsage, type ProviderUsage } from './report-reader.js';

/** A report as JSON, and as rows: one for each period of each definition of each installation. */
export type ReportView = Readonly<{ json: () => string; rows: readonly InstallationUsage[] }>;

const periodView = ({ from, to, total, capacity, percentage }: PeriodUsage): object => ({
  from: wireInstant(from),
  to: wireInstant(to),
  total_value: Numeral.double(total),
  capacity_value: capacity && Numeral.plain(capacity),
  usage_percentage: percentage && Numeral.double(percentage),
});

const installationView = ({ installation: document, data }: InstallationUsage): object => {
  const { id, project, organisation, installation, infrastructure, resource, external_id } = document;
  return {
    installation_id: id,
    project,
    provider: organisation,
    installation,
    infrastructure,
    resource: resource ?? '',
    external_id,
    data: data.map(({ definition, periods }) => ({ ...definition, periods: periods.map(periodView) })),
  };
};

const totalView = ({ definition, total }: DefinitionTotal): object => ({ ...definition, total_value: Numeral.double(total) });

const providerView = ({ provider, aggregated, data }: ProviderUsage): object => {
  const { id, name, website, abbreviation, logo, external_id } = provider;
  return {
    provider_id: id,
    name,
    website,
    abbreviation,
    logo,
    external_id,
    aggregated_metrics: aggregated.map(totalView),
    data: data.map(installationView),
  };
};

const rowsOf = (reports: readonly ProviderUsage[]): readonly InstallationUsage[] => reports.flatMap(({ data }) => data);

export const installationReport = (usage: InstallationUsage): ReportView => ({
  json: () => wireText(installationView(usage)),
  rows: [usage],
});

export const providerReport = (usage: ProviderUsage): ReportView => ({ json: () => wireText(providerView(usage)), rows: usage.data });

/** A provider in all its projects. */
export const globalReport = (reports: readonly ProviderUsage[]): ReportView => ({
  json: () => wireText({ reports: reports.map(providerView), aggregated_metrics: aggregateOf(reports).map(totalView) }),
  rows: rowsOf(reports),
});

export const projectReport = (project: ProjectDocument, reports: readonly ProviderUsage[]): ReportView => ({
  json: () => {
    const { id, acronym, title, start_date, end_date, call_identifier } = project;
    const head = { id, acronym, title, start_date, end_date, call_identifier };
    return wireText({ ...head, aggregated_metrics: aggregateOf(reports).map(totalView), data: reports.map(providerView) });
  },
  rows: rowsOf(reports),
});
