import { Injectable } from '@nestjs/common';
import { add, type Decimal, decimal, percentageOf, sum } from '#domain/accounting/decimal.js';
import type { Instant } from '#domain/accounting/instants.js';
import type { InstallationDocument, ProjectDocument, ProviderDocument } from '#projections/accounting/catalogue-documents.js';
import type { DefinitionDocument } from '#projections/accounting/definitions.js';
import { cutPeriods } from '#projections/accounting/report-periods.js';
import { EVERYBODY } from '#projections/accounting/usage-documents.js';
import type { SumQuery } from '#projections/accounting/usage-sums.js';
import { CatalogueReader } from './catalogue-reader.js';
import type { ProviderBranch } from './catalogue-views.js';
import { UsageReader } from './usage-reader.js';
import { usagePlace } from './usage-scopes.js';
import { totalsOf } from './usage-totals.js';

/** What is reported: whatever began and ended in the range, of everybody or of one group or user. */
export type ReportScope = Readonly<{ from: Instant; to: Instant; member?: string }>;

export type PeriodUsage = Readonly<{ from: Instant; to: Instant; total: Decimal; capacity?: Decimal; percentage?: Decimal }>;
export type DefinitionUsage = Readonly<{ definition: DefinitionDocument; periods: readonly PeriodUsage[] }>;
/** The total of a definition over several installations. */
export type DefinitionTotal = Readonly<{ definition: DefinitionDocument; total: Decimal }>;

export type InstallationUsage = Readonly<{ installation: InstallationDocument; data: readonly DefinitionUsage[] }>;
export type ProviderUsage = Readonly<{
  provider: ProviderDocument;
  aggregated: readonly DefinitionTotal[];
  data: readonly InstallationUsage[];
}>;

/** A definition that was deleted while a metric of it was recorded. */
const lostDefinition = (id: string): DefinitionDocument => ({
  metric_definition_id: id,
  metric_name: '',
  metric_description: null,
  unit_type: '',
  metric_type: '',
});

/** Totals of each definition, in the order of their ids. */
const aggregate = (parts: readonly DefinitionTotal[]): readonly DefinitionTotal[] => {
  const totals = new Map<string, DefinitionTotal>();
  for (const { definition, total } of parts) {
    const before = totals.get(definition.metric_definition_id);
    totals.set(definition.metric_definition_id, { definition, total: before ? add(before.total, total) : total });
  }
  return [...totals.values()].sort((a, b) => (a.definition.metric_definition_id < b.definition.metric_definition_id ? -1 : 1));
};

const totalsIn = ({ data }: InstallationUsage): readonly DefinitionTotal[] =>
  data.map(({ definition, periods }) => ({ definition, total: sum(periods.map(({ total }) => total)) }));

const ofProvider = (provider: ProviderDocument, data: readonly InstallationUsage[]): ProviderUsage => ({
  provider,
  aggregated: aggregate(data.flatMap(totalsIn)),
  data,
});

/** The same over several provider reports. */
export const aggregateOf = (reports: readonly ProviderUsage[]): readonly DefinitionTotal[] =>
  aggregate(reports.flatMap(({ aggregated }) => aggregated));

/** Usage reports (accounting contract 6). */
@Injectable()
export class ReportReader {
  constructor(
    private readonly catalogue: CatalogueReader,
    private readonly usage: UsageReader,
  ) {}

  async ofInstallation(installation: InstallationDocument, scope: ReportScope): Promise<InstallationUsage> {
    const [usage] = await this.ofInstallations([installation], scope);
    return usage ?? { installation, data: [] };
  }

  /** Of a provider in one project. */
  async ofProviderIn(project: ProjectDocument, provider: ProviderDocument, scope: ReportScope): Promise<ProviderUsage> {
    const [branch] = await this.catalogue.associationBranches([{ project_id: project.id, provider_id: provider.id }]);
    const [report] = await this.ofBranches([{ provider, installations: branch?.branch.installations ?? [] }], scope);
    return report ?? ofProvider(provider, []);
  }

  /** Of a provider in each project where it has installations, in the order of the projects' registration. */
  async ofProviderEverywhere(provider: ProviderDocument, scope: ReportScope): Promise<readonly ProviderUsage[]> {
    const ids = await this.catalogue.projectsWith(provider.id);
    const branches = await this.catalogue.associationBranches(ids.map((project_id) => ({ project_id, provider_id: provider.id })));
    const inOrder = branches.toSorted((a, b) => (a.project.order < b.project.order ? -1 : 1)).map(({ branch }) => branch);
    return this.ofBranches(
      inOrder.filter(({ installations }) => installations.length > 0),
      scope,
    );
  }

  /** One report of a provider over all projects. */
  async ofProviderMerged(provider: ProviderDocument, scope: ReportScope): Promise<ProviderUsage> {
    const reports = await this.ofProviderEverywhere(provider, scope);
    return ofProvider(
      provider,
      reports.flatMap(({ data }) => data),
    );
  }

  /** Of each provider of a project, in the order of their association. */
  async ofProject(project: ProjectDocument, scope: ReportScope): Promise<readonly ProviderUsage[]> {
    const [branches] = await this.catalogue.branches([project]);
    return this.ofBranches(branches?.providers ?? [], scope);
  }

  private async ofBranches(branches: readonly ProviderBranch[], scope: ReportScope): Promise<readonly ProviderUsage[]> {
    const usages = await this.ofInstallations(
      branches.flatMap(({ installations }) => installations),
      scope,
    );
    let at = 0;
    return branches.map(({ provider, installations }) => {
      at += installations.length;
      return ofProvider(provider, usages.slice(at - installations.length, at));
    });
  }

  /** Every definition that an installation has metrics of appears, also those with none in the range or of the group or user. */
  private async ofInstallations(
    installations: readonly InstallationDocument[],
    { from, to, member = EVERYBODY }: ReportScope,
  ): Promise<readonly InstallationUsage[]> {
    const places = installations.map(usagePlace);
    const [counts, capacities] = await Promise.all([this.usage.definitionCounts(places), this.usage.capacities(places)]);
    const parts = places.flatMap((place, index) =>
      Object.keys(counts[index] ?? {})
        .sort()
        .map((definitionId) => {
          const ofDefinition = (capacities[index] ?? []).filter(({ metric_definition_id }) => metric_definition_id === definitionId);
          return { ...place, definitionId, member, index, spans: cutPeriods(from, to, ofDefinition) };
        }),
    );
    const [definitions, totals] = await Promise.all([
      this.catalogue.definitionsOf(parts.map(({ definitionId }) => definitionId)),
      this.totals(parts),
    ]);
    const data = installations.map((): DefinitionUsage[] => []);
    for (const [at, { definitionId, index, spans }] of parts.entries()) {
      const periods = spans.map((span, place) => periodUsage(span, totals[at]?.[place]));
      data[index]?.push({ definition: definitions.get(definitionId) ?? lostDefinition(definitionId), periods });
    }
    return installations.map((installation, index) => ({ installation, data: data[index] ?? [] }));
  }

  /** Nothing for a range without periods. */
  private async totals(queries: readonly SumQuery[]): Promise<readonly (readonly Decimal[])[]> {
    const [first] = queries;
    return first === undefined || first.spans.length === 0 ? [] : totalsOf(this.usage.view, queries);
  }
}

const periodUsage = ({ from, to, capacity: text }: ReturnType<typeof cutPeriods>[number], total: Decimal = sum([])): PeriodUsage => {
  const capacity = text === undefined ? undefined : decimal(text);
  return { from, to, total, capacity, percentage: capacity && percentageOf(total, capacity) };
};
