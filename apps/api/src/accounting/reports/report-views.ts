import { projectHead } from '#api/accounting/catalogue/tree-views.js';
import { commaSeparated, joined, just, mapped, openObject } from '#api/accounting/text-lists.js';
import type { Pieces } from '#api/shared/answers/pieces.js';
import { wireInstant } from '#domain/accounting/metrics/instants.js';
import { type Exact, exactText } from '#domain/shared/json/exact-json.js';
import type { Static } from '#domain/shared/shape.js';
import type { ProjectDocument } from '#projections/accounting/catalogue/queries.js';
import type { INSTALLATION_REPORT, PROVIDER_REPORT, TOTAL, USAGE_PERIOD } from '#projections/accounting/components.js';
import { doubleNumber, plainNumber } from '#projections/accounting/wire.js';
import { aggregateOf, type DefinitionTotal, type ProviderUsage, type Usages } from './provider-usage.js';
import type { InstallationUsage, PeriodUsage } from './usage-types.js';

/** A report as JSON, and as rows: one for each period of each definition of each installation. */
export type ReportView = Readonly<{ json: () => Pieces; rows: Usages }>;

const periodView = ({ from, to, total, capacity, percentage }: PeriodUsage): Exact<Static<typeof USAGE_PERIOD>> => ({
  from: wireInstant(from),
  to: wireInstant(to),
  total_value: doubleNumber(total),
  capacity_value: capacity && plainNumber(capacity),
  usage_percentage: percentage && doubleNumber(percentage),
});

const installationText = ({ installation: document, data }: InstallationUsage): string => {
  const { id, project, organisation, installation, infrastructure, resource, external_id } = document;
  const view: Exact<Static<typeof INSTALLATION_REPORT>> = {
    installation_id: id,
    project,
    provider: organisation,
    installation,
    infrastructure,
    resource: resource ?? '',
    external_id,
    data: data.map(({ definition, periods }) => ({ ...definition, periods: periods.map(periodView) })),
  };
  return exactText(view);
};

/** One by one, because each may be long. */
async function* installationTexts(usages: Usages): AsyncGenerator<readonly string[]> {
  for await (const some of usages()) for (const usage of some) yield [installationText(usage)];
}

const totalsText = (totals: readonly DefinitionTotal[]): string =>
  exactText(totals.map(({ definition, total }): Exact<Static<typeof TOTAL>> => ({ ...definition, total_value: doubleNumber(total) })));

async function* providerPieces({ provider, aggregated, usages }: ProviderUsage): Pieces {
  const { id: provider_id, name, website, abbreviation, logo, external_id } = provider;
  const head: Omit<Static<typeof PROVIDER_REPORT>, 'aggregated_metrics' | 'data'> = {
    provider_id,
    name,
    website,
    abbreviation,
    logo,
    external_id,
  };
  yield [openObject(head), ',"aggregated_metrics":', totalsText(aggregated), ',"data":['];
  yield* commaSeparated(installationTexts(usages));
  yield [']}'];
}

async function* each<T>(list: readonly T[]): AsyncGenerator<T> {
  yield* list;
}

const providersPieces = (reports: readonly ProviderUsage[]): Pieces => joined(mapped(each(reports), providerPieces));

async function* globalPieces(reports: readonly ProviderUsage[]): Pieces {
  yield ['{"reports":['];
  yield* providersPieces(reports);
  yield ['],"aggregated_metrics":', totalsText(aggregateOf(reports)), '}'];
}

async function* projectPieces(project: ProjectDocument, reports: readonly ProviderUsage[]): Pieces {
  yield [openObject(projectHead(project)), ',"aggregated_metrics":', totalsText(aggregateOf(reports)), ',"data":['];
  yield* providersPieces(reports);
  yield [']}'];
}

const rowsOf = (reports: readonly ProviderUsage[]): Usages =>
  async function* () {
    for (const { usages } of reports) yield* usages();
  };

export const installationReport = (usage: InstallationUsage): ReportView => ({
  json: () => just([installationText(usage)]),
  rows: () => just([usage]),
});

export const providerReport = (report: ProviderUsage): ReportView => ({ json: () => providerPieces(report), rows: report.usages });

/** A provider in all its projects. */
export const globalReport = (reports: readonly ProviderUsage[]): ReportView => ({
  json: () => globalPieces(reports),
  rows: rowsOf(reports),
});

export const projectReport = (project: ProjectDocument, reports: readonly ProviderUsage[]): ReportView => ({
  json: () => projectPieces(project, reports),
  rows: rowsOf(reports),
});
