import { expect, it } from '@jest/globals';
import { decimal, decimalText } from '#domain/accounting/decimal.js';
import type { InstallationDocument, ProviderDocument } from '#projections/accounting/catalogue/queries.js';
import { definitionDocument } from '#projections/accounting/definitions/queries.js';
import { AT_ONCE, aggregateOf, PeriodBudget, ProviderTally, type ProviderUsage } from './provider-usage.js';
import type { InstallationUsage } from './usage-types.js';

const COUNT = 120;
const provider = { id: 'v' } as ProviderDocument;
const installations = Array.from({ length: COUNT }, (_, index) => ({ id: `${index}` }) as InstallationDocument);
const definition = (id: string) => definitionDocument(id, { metric_name: id, metric_description: null, unit_type: 'u', metric_type: 'm' });

/** Usage with this number of periods, each with a total of 1, for two definitions. */
const usageOf = (installation: InstallationDocument, periods: number): InstallationUsage => ({
  installation,
  data: ['b', 'a'].map((id) => ({
    definition: definition(id),
    periods: Array.from({ length: periods }, () => ({ from: 'f', to: 't', total: decimal('1') })),
  })),
});

const tallied = (periods: number) => {
  const lookedUp: number[] = [];
  const branch = {
    provider,
    installations: async function* () {
      yield installations.slice(0, 70);
      yield installations.slice(70);
    },
  };
  const tally = new ProviderTally(branch, new PeriodBudget(), async (some) => {
    lookedUp.push(some.length);
    return some.map((one) => usageOf(one, periods));
  });
  for (const installation of installations) tally.add(usageOf(installation, periods));
  return { report: tally.report, lookedUp };
};

const idsIn = async ({ usages }: ProviderUsage): Promise<string[]> => {
  const ids: string[] = [];
  for await (const some of usages()) ids.push(...some.map(({ installation }) => installation.id));
  return ids;
};
const totalsIn = (totals: ProviderUsage['aggregated']) =>
  totals.map(({ definition: { metric_definition_id }, total }) => [metric_definition_id, decimalText(total)]);

it('A short report is looked up once', async () => {
  const { report, lookedUp } = tallied(1);
  expect(await idsIn(report)).toEqual(installations.map(({ id }) => id));
  expect(lookedUp).toEqual([]);
  expect(totalsIn(report.aggregated)).toEqual([
    ['a', '120'],
    ['b', '120'],
  ]);
});

it('A long report is not kept, but looked up again each time it is walked through', async () => {
  const { report, lookedUp } = tallied(100);
  for (let times = 1; times <= 2; times++) {
    expect(await idsIn(report)).toEqual(installations.map(({ id }) => id));
    expect(lookedUp).toHaveLength(3 * times);
  }
  expect(Math.max(...lookedUp)).toBe(AT_ONCE);
  expect(totalsIn(report.aggregated)).toEqual([
    ['a', '12000'],
    ['b', '12000'],
  ]);
});

it('Totals of several reports are added up by definition', () => {
  const { report } = tallied(1);
  expect(totalsIn(aggregateOf([report, report]))).toEqual([
    ['a', '240'],
    ['b', '240'],
  ]);
});
