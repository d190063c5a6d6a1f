import type { Day } from '#domain/shared/time.js';
import { ExpectedItems, type FindExpectedItems } from '#projections/status/metric-data/expected-items.js';
import type { Results } from '#projections/status/results/report-reader.js';

/** Items that the report of that name expects on a day, for points without a report (results contract 1). Looked up once, on first use. */
export const expectingOf = (
  results: Results,
  { tenantId, name, day }: Readonly<{ tenantId: string; name: string; day: Day }>,
): FindExpectedItems => {
  const find = async (): Promise<ExpectedItems | undefined> => {
    const report = await results.report(tenantId, name);
    const groups = await report?.expected(day);
    return groups && new ExpectedItems(groups);
  };
  let found: ReturnType<typeof find> | undefined;
  return () => (found ??= find());
};
