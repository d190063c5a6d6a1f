import { add, type Decimal, sum } from '#domain/accounting/decimal.js';
import type { Branch } from '#projections/accounting/catalogue/branches.js';
import type { InstallationDocument, ProviderDocument } from '#projections/accounting/catalogue/queries.js';
import type { DefinitionDocument } from '#projections/accounting/definitions/queries.js';
import type { InstallationUsage } from './usage-types.js';

/** The total of a definition over several installations. */
export type DefinitionTotal = Readonly<{ definition: DefinitionDocument; total: Decimal }>;

/** Usage of installations in batches; may be iterated more than once. */
export type Usages = () => AsyncIterable<readonly InstallationUsage[]>;

/** The usage of a provider's installations. `isEmpty`: true if there are no installations. */
export type ProviderUsage = Readonly<{
  provider: ProviderDocument;
  aggregated: readonly DefinitionTotal[];
  usages: Usages;
  isEmpty: boolean;
}>;

class DefinitionTotals {
  private readonly totals = new Map<string, DefinitionTotal>();

  add({ definition, total }: DefinitionTotal): void {
    const before = this.totals.get(definition.metric_definition_id);
    this.totals.set(definition.metric_definition_id, { definition, total: before ? add(before.total, total) : total });
  }

  /** Ordered by the ids of definitions. */
  get inOrder(): readonly DefinitionTotal[] {
    return [...this.totals.values()].sort((a, b) => (a.definition.metric_definition_id < b.definition.metric_definition_id ? -1 : 1));
  }
}

/** Totals over several provider reports. */
export const aggregateOf = (reports: readonly ProviderUsage[]): readonly DefinitionTotal[] => {
  const totals = new DefinitionTotals();
  for (const { aggregated } of reports) for (const total of aggregated) totals.add(total);
  return totals.inOrder;
};

/** Installations whose usage is looked up together. */
export const AT_ONCE = 50;

/** Looks up the usage of some installations, in their order. */
type UsageOf = (installations: readonly InstallationDocument[]) => Promise<readonly InstallationUsage[]>;

/** Limits the periods that a report keeps in memory. Usage beyond the limit is looked up again while the report is sent. */
export class PeriodBudget {
  private periods = 20_000;

  /** @returns whether this usage fits as well */
  take({ data }: InstallationUsage): boolean {
    this.periods -= 1;
    for (const { periods } of data) this.periods -= periods.length;
    return this.periods >= 0;
  }
}

/** Sums the usage of a provider while it is looked up. */
export class ProviderTally {
  private readonly totals = new DefinitionTotals();
  private kept: InstallationUsage[] | undefined = [];
  private count = 0;

  constructor(
    private readonly branch: Pick<Branch, 'provider' | 'installations'>,
    private readonly memory: PeriodBudget,
    private readonly usageOf: UsageOf,
  ) {}

  add(usage: InstallationUsage): void {
    this.count += 1;
    for (const { definition, periods } of usage.data) this.totals.add({ definition, total: sum(periods.map(({ total }) => total)) });
    if (this.kept && this.memory.take(usage)) this.kept.push(usage);
    else this.kept = undefined;
  }

  get report(): ProviderUsage {
    const { branch, kept, totals, count } = this;
    const usages = kept
      ? async function* () {
          yield kept;
        }
      : () => this.again();
    return { provider: branch.provider, aggregated: totals.inOrder, usages, isEmpty: count === 0 };
  }

  private async *again(): AsyncGenerator<readonly InstallationUsage[]> {
    for await (const installations of this.branch.installations())
      for (let start = 0; start < installations.length; start += AT_ONCE)
        yield await this.usageOf(installations.slice(start, start + AT_ONCE));
  }
}
