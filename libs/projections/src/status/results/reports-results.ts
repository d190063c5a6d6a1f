import type { Clock } from '#domain/shared/clock.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { ReportQueries } from '#projections/status/reports/queries.js';
import { cachedIfSmall, NO_READ_CACHE, type ReadCache } from './memory.js';
import type { ReportReader, Results } from './report-reader.js';
import { settingsOf } from './report-settings.js';
import { type ReaderParts, StoredReportReader } from './stored-report-reader.js';

/** Results of reports, computed from read models on demand. */
export class ComputedResults implements Results {
  private readonly reports: ReportQueries;

  /** @param parts new ones for each reader if nothing may be cached across readers */
  constructor(
    store: ReadStore,
    private readonly parts: () => ReaderParts,
    private readonly clock: Clock,
    private readonly reads: ReadCache = NO_READ_CACHE,
  ) {
    this.reports = new ReportQueries(store);
  }

  async report(tenantId: string, name: string): Promise<ReportReader | undefined> {
    const document = await cachedIfSmall(this.reads, ['report', tenantId, name], async () => {
      const value = await this.reports.byName({ tenantId, name });
      return value && { value, bytes: JSON.stringify(value).length };
    });
    if (!document) return undefined;
    const { computations, disabled } = document;
    return new StoredReportReader(this.parts(), settingsOf(tenantId, name, document), { computations, disabled, now: this.clock() });
  }
}
