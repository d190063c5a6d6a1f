import type { Day } from '#domain/shared/time.js';
import { ExpectedItems, type FindExpectedItems } from '#projections/status/metric-data/expected-items.js';
import type { ReportReader, Results } from '#projections/status/results/report-reader.js';

/** Items that a report expects on a day, for points without a report or without a group (results contract 1). */
export const expectedItems = async (report: ReportReader | undefined, day: Day): ReturnType<FindExpectedItems> => {
  const groups = await report?.expected(day);
  return groups && new ExpectedItems(groups);
};

/** Like `expectedItems`, of the report of that name. Looked up once, on first use. */
export const expectingOf = (
  results: Results,
  { tenantId, name, day }: Readonly<{ tenantId: string; name: string; day: Day }>,
): FindExpectedItems => {
  let found: ReturnType<FindExpectedItems> | undefined;
  return () => (found ??= results.report(tenantId, name).then((report) => expectedItems(report, day)));
};
