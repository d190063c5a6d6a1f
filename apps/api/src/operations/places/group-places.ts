import { reportsNow } from '#api/operations/findings/reports-now.js';
import { DomainError } from '#domain/shared/decider.js';
import { dayAt } from '#domain/shared/time.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import type { PlannedGroup } from '#domain/status/results/plan.js';
import type { ReportReader } from '#projections/status/results/report-reader.js';
import { type Place, placed } from './place.js';

/** Endpoint groups of the reports of today, and their hosts; only those with one of the lower-case words in their name. */
export async function* groupPlaces(sources: Parameters<typeof reportsNow>[0], words: readonly string[]): AsyncGenerator<readonly Place[]> {
  const slice = new TimeSlice();
  const fits = (name: string): boolean => words.some((word) => name.toLowerCase().includes(word));
  for await (const { report, tenant, tenantId } of reportsNow(sources, slice))
    for (const { name, endpoints } of await groupsOf(report)) {
      const within = { within: tenantId, report: report.name };
      const of = `${report.name} of ${tenant}`;
      const hosts = [...new Set(endpoints.map(({ host }) => host).filter(fits))];
      yield [
        ...(fits(name) ? [placed('status.group', name, name, { ...within, place: of })] : []),
        ...hosts.map((host) => placed('status.host', host, host, { ...within, group: name, place: `${name}, ${of}` })),
      ];
      if (slice.isOver) await slice.next();
    }
}

/** None of a report that is larger than a call may read. */
const groupsOf = async (report: ReportReader): Promise<Iterable<PlannedGroup>> => {
  try {
    return (await report.expected(dayAt(report.now)))?.values() ?? [];
  } catch (error) {
    if (error instanceof DomainError) return [];
    throw error;
  }
};
