import { reportsNow } from '#api/operations/findings/reports-now.js';
import { DomainError } from '#domain/shared/decider.js';
import { dayAt } from '#domain/shared/time.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import type { GroupNames } from '#projections/status/results/group-names.js';
import type { ReportReader } from '#projections/status/results/report-reader.js';
import { placeOfRecord, type RecordPlace } from './place.js';

/**
 * Endpoint groups of the reports of today, and their hosts; only those with one of the lower-case words in their name. An empty page follows each
 * report, so that the search may end.
 */
export async function* groupPlaces(
  sources: Parameters<typeof reportsNow>[0],
  words: readonly string[],
): AsyncGenerator<readonly RecordPlace[]> {
  const slice = new TimeSlice();
  const fits = (name: string): boolean => words.some((word) => name.toLowerCase().includes(word));
  for await (const { report, tenant, tenantId } of reportsNow(sources, slice)) {
    for (const { name, hosts, text } of await namesOf(report)) {
      if (slice.isOver) await slice.next();
      if (!words.some((word) => text.includes(word))) continue;
      const within = { within: tenantId, report: report.name };
      const of = `${report.name} of ${tenant}`;
      yield [
        ...(fits(name) ? [placeOfRecord('status.group', name, name, { ...within, place: of })] : []),
        ...hosts.filter(fits).map((host) => placeOfRecord('status.host', host, host, { ...within, group: name, place: `${name}, ${of}` })),
      ];
    }
    yield [];
  }
}

/** None of a report that is larger than a call may read. */
const namesOf = async (report: ReportReader): Promise<readonly GroupNames[]> => {
  try {
    return await report.names(dayAt(report.now));
  } catch (error) {
    if (error instanceof DomainError) return [];
    throw error;
  }
};
