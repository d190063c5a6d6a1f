import { Injectable } from '@nestjs/common';
import { installationRef } from '#api/accounting/catalogue/permitted-scopes.js';
import type { Pace } from '#api/accounting/search/pace.js';
import { just } from '#api/accounting/text-lists.js';
import { type Decimal, decimal, percentageOf, sum } from '#domain/accounting/decimal.js';
import type { Instant } from '#domain/accounting/metrics/instants.js';
import { getOrInsert } from '#domain/shared/get-or-insert.js';
import type { TimeSlice } from '#domain/shared/time-slice.js';
import { type CapacityDocument, CapacityQueries } from '#projections/accounting/capacities/queries.js';
import { type AssociatedProvider, type Branch, BranchQueries } from '#projections/accounting/catalogue/branches.js';
import {
  CatalogueQueries,
  type InstallationDocument,
  type ProjectDocument,
  type ProviderDocument,
} from '#projections/accounting/catalogue/queries.js';
import type { DefinitionDocument } from '#projections/accounting/definitions/queries.js';
import { DefinitionQueries } from '#projections/accounting/definitions/queries.js';
import { EVERYBODY, MetricQueries, type SeriesOfInstallation } from '#projections/accounting/metrics/queries.js';
import { ReportQueries, type SumQuery } from '#projections/accounting/reports/queries.js';
import { cutPeriods, type ReportPeriod } from '#projections/accounting/reports/report-periods.js';
import { AT_ONCE, PeriodBudget, ProviderTally, type ProviderUsage } from './provider-usage.js';
import type { DefinitionUsage, InstallationUsage, PeriodUsage } from './usage-types.js';

/** Metrics that lie within the range, of all or of one group or user. */
type ReportScope = Readonly<{ from: Instant; to: Instant; member?: string }>;

/** Placeholder for a definition that was deleted while a metric of it was being recorded. */
const lostDefinition = (id: string): DefinitionDocument => ({
  metric_definition_id: id,
  metric_name: '',
  metric_description: null,
  unit_type: '',
  metric_type: '',
});

/** By the id of the definition. */
const byDefinition = (capacities: readonly CapacityDocument[]): ReadonlyMap<string, readonly CapacityDocument[]> => {
  const groups = new Map<string, CapacityDocument[]>();
  for (const capacity of capacities) {
    getOrInsert(groups, capacity.metric_definition_id, () => []).push(capacity);
  }
  return groups;
};

/** Definitions with the short names of their series, by id. */
const inOrder = (series: SeriesOfInstallation): readonly (readonly [definitionId: string, series: string])[] =>
  Object.entries(series)
    .map(([definitionId, one]) => [definitionId, one.series] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1));

/** Installations that are reported under one provider. */
type UsageBranch = Pick<Branch, 'provider' | 'installations'>;

/** A definition of an installation. `index`: of the installation in the list. */
type Part = Omit<SumQuery, 'spans'> & Readonly<{ index: number; spans: readonly ReportPeriod[] }>;

/** Reads usage reports (accounting contract 6) in slices, and stops once the client is gone. */
@Injectable()
export class ReportReader {
  constructor(
    private readonly catalogue: CatalogueQueries,
    private readonly branches: BranchQueries,
    private readonly definitions: DefinitionQueries,
    private readonly metrics: MetricQueries,
    private readonly capacities: CapacityQueries,
    private readonly sums: ReportQueries,
  ) {}

  async ofInstallation(installation: InstallationDocument, scope: ReportScope, pace: Pace): Promise<InstallationUsage> {
    const [usage] = await this.ofInstallations([installation], scope, pace);
    return usage ?? { installation, data: [] };
  }

  async ofProviderIn(project: ProjectDocument, provider: ProviderDocument, scope: ReportScope, pace: Pace): Promise<ProviderUsage> {
    const pair = { project, providerId: provider.id };
    const installations = () => installationsOf(this.branches.ofPairs([pair]));
    return this.ofOne({ provider, installations }, scope, pace);
  }

  /** Usage of a provider in each project where it has installations, in the order of the projects' registration. */
  async ofProviderEverywhere(provider: ProviderDocument, scope: ReportScope, pace: Pace): Promise<readonly ProviderUsage[]> {
    const pairs = await this.pairsWith(provider, pace);
    const reports = await this.collect(this.branches.ofPairs(pairs), scope, pace);
    return reports.filter(({ isEmpty }) => !isEmpty);
  }

  /** Usage of a provider in all its projects together. */
  async ofProviderMerged(provider: ProviderDocument, scope: ReportScope, pace: Pace): Promise<ProviderUsage> {
    const pairs = await this.pairsWith(provider, pace);
    const installations = () => installationsOf(this.branches.ofPairs(pairs));
    return this.ofOne({ provider, installations }, scope, pace);
  }

  /** Usage of each provider of a project, in the order of association. */
  async ofProject(project: ProjectDocument, scope: ReportScope, pace: Pace): Promise<readonly ProviderUsage[]> {
    return this.collect(this.branches.ofProject(project), scope, pace);
  }

  /** The provider in each of its projects, in the order of the projects' registration. */
  private async pairsWith({ id }: ProviderDocument, pace: Pace): Promise<readonly AssociatedProvider[]> {
    const found: AssociatedProvider[] = [];
    for await (const projects of this.catalogue.projectsWith(id)) {
      found.push(...(await this.branches.pairs(projects.map((project_id) => ({ project_id, provider_id: id })))));
      if (pace.slice.isOver) await pace.slice.next();
    }
    return found.sort((a, b) => (a.project.order < b.project.order ? -1 : 1));
  }

  private async ofOne(branch: UsageBranch, scope: ReportScope, pace: Pace): Promise<ProviderUsage> {
    const [report] = await this.collect(just(branch), scope, pace);
    return report ?? { provider: branch.provider, aggregated: [], usages: () => just([]), isEmpty: true };
  }

  /** Looks up the usage of providers; of several together if they have few installations. */
  private async collect(branches: AsyncIterable<UsageBranch>, scope: ReportScope, pace: Pace): Promise<readonly ProviderUsage[]> {
    const room = new PeriodBudget();
    const usageOf = (installations: readonly InstallationDocument[]) => this.ofInstallations(installations, scope, pace);
    const tallies: ProviderTally[] = [];
    let waiting: Readonly<{ tally: ProviderTally; installation: InstallationDocument }>[] = [];
    const lookUp = async (): Promise<void> => {
      const usages = await usageOf(waiting.map(({ installation }) => installation));
      for (const [index, usage] of usages.entries()) waiting[index]?.tally.add(usage);
      waiting = [];
    };
    for await (const branch of branches) {
      const tally = new ProviderTally(branch, room, usageOf);
      tallies.push(tally);
      for await (const installations of branch.installations())
        for (const installation of installations) {
          waiting.push({ tally, installation });
          if (waiting.length === AT_ONCE) await lookUp();
        }
      if (pace.isPointless) break;
    }
    await lookUp();
    return tallies.map(({ report }) => report);
  }

  /** Reports every definition for which an installation has metrics, even if none lies in the range or belongs to the group or user. */
  private async ofInstallations(
    installations: readonly InstallationDocument[],
    { from, to, member = EVERYBODY }: ReportScope,
    { slice, isPointless }: Pace,
  ): Promise<readonly InstallationUsage[]> {
    if (installations.length === 0 || isPointless) return [];
    const places = installations.map(installationRef);
    const [found, capacities] = await Promise.all([this.metrics.seriesOfEach(places), this.capacities.ofEach(places, slice)]);
    const parts: Part[] = [];
    for (const [index, place] of places.entries()) {
      const registered = byDefinition(capacities[index] ?? []);
      for (const [definitionId, series] of inOrder(found[index] ?? {})) {
        const spans = cutPeriods(from, to, registered.get(definitionId) ?? []);
        parts.push({ ...place, definitionId, series, member, index, spans });
        if (slice.isOver) await slice.next();
      }
    }
    const definitions = await this.definitions.definitionsById(parts.map(({ definitionId }) => definitionId));
    const totals = await this.totals(parts, slice);
    const data = installations.map((): DefinitionUsage[] => []);
    for (const [at, { definitionId, index, spans }] of parts.entries()) {
      const periods = spans.map((span, place) => periodUsage(span, totals[at]?.[place]));
      data[index]?.push({ definition: definitions.get(definitionId) ?? lostDefinition(definitionId), periods });
      if (slice.isOver) await slice.next();
    }
    return installations.map((installation, index) => ({ installation, data: data[index] ?? [] }));
  }

  /** Resolves with an empty list for a range without periods. */
  private async totals(queries: readonly SumQuery[], slice: TimeSlice): Promise<readonly (readonly Decimal[])[]> {
    const [first] = queries;
    return first === undefined || first.spans.length === 0 ? [] : this.sums.totals(queries, slice);
  }
}

async function* installationsOf(branches: AsyncIterable<UsageBranch>): AsyncGenerator<readonly InstallationDocument[]> {
  for await (const { installations } of branches) yield* installations();
}

const periodUsage = ({ from, to, capacity: text }: ReportPeriod, total: Decimal = sum([])): PeriodUsage => {
  const capacity = text === undefined ? undefined : decimal(text);
  return { from, to, total, capacity, percentage: capacity && percentageOf(total, capacity) };
};
