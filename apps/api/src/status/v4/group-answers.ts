import { Inject, Injectable } from '@nestjs/common';
import { bodyOfPieces, type Pieces } from '#api/shared/answers/pieces.js';
import type { Answer } from '#api/shared/http/answer.js';
import { firstOf } from '#api/shared/http/request-context.js';
import { AnswerMemory } from '#api/status/answer-memory.js';
import { json } from '#api/status/answers.js';
import * as errors from '#api/status/errors.js';
import { arrayTexts, objectTexts } from '#api/status/json-texts.js';
import type { ReadingCall } from '#api/status/parameters.js';
import type { ResultItem } from '#api/status/results/items.js';
import type { Period } from '#api/status/results/period-query.js';
import { ownGroupItems } from '#api/status/results/result-levels.js';
import type { PeriodRow } from '#api/status/results/series.js';
import type { Query } from '#api/status/time-query.js';
import { collectGroups, nowOf, todayOf, wantsDetails } from '#api/status/timelines/reading.js';
import { endOfTimeline, resultsOfGroups, wholeTimeline } from '#api/status/timelines/views.js';
import type { Work } from '#api/status/work.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { wireText } from '#projections/status/layout.js';
import { ReportQueries } from '#projections/status/reports/queries.js';
import { RESULTS, type ReportReader, type Results } from '#projections/status/results/report-reader.js';
import { statusSpan } from './v4-query.js';

export type RowView = (row: PeriodRow) => object;

async function* dataJson(items: readonly ResultItem[], view: RowView): Pieces {
  const texts = function* (rows: readonly PeriodRow[]): Generator<Iterable<string>> {
    for (const row of rows) yield [wireText(view(row), 4)];
  };
  const groups = function* (): Generator<Iterable<string>> {
    for (const { names, rows } of items) yield objectTexts({ name: names[0] }, 'results', arrayTexts(texts(rows()), 4), 2);
  };
  for (const text of objectTexts({}, 'data', arrayTexts(groups(), 2), 0)) yield [text];
}

export const severalReports = (): errors.StatusError =>
  errors.numericInJson(400, 'Multiple reports found please specify one by using report url param');
export const noNodeReport = (): errors.StatusError => errors.numericInJson(404, 'Node report not set');

/** Results and statuses of endpoint groups in the shape of version 4 (status contract of 2026, 7 and 8). JSON whatever the caller accepts. */
@Injectable()
export class GroupAnswers {
  constructor(
    @Inject(RESULTS) private readonly results: Results,
    private readonly reports: ReportQueries,
    private readonly answers: AnswerMemory,
  ) {}

  /** The report that a call gives by name or id, or else the only one of the tenant. @throws StatusError `EMSGN` */
  async reportOf(tenantId: string, query: Query): Promise<ReportReader> {
    const given = firstOf(query.report);
    if (given) {
      const found = (await this.results.report(tenantId, given)) ?? (await this.byId(tenantId, given));
      if (!found) throw errors.numericInJson(404, `The report: ${given} does not exist`);
      return found;
    }
    const [only, another] = await this.reports.names(tenantId, 2, new TimeSlice());
    if (another !== undefined) throw severalReports();
    const found = only === undefined ? undefined : await this.results.report(tenantId, only);
    if (!found) throw errors.numericInJson(404, 'No reports found');
    return found;
  }

  /** The report of the tenant as a node. @throws StatusError `EMSGN` */
  async nodeReport(tenantId: string): Promise<ReportReader> {
    const id = await this.reports.nodeReportOf(tenantId);
    if (id === undefined) throw noNodeReport();
    const found = await this.byId(tenantId, id);
    if (!found) throw errors.numericInJson(404, `The report with the id ${id} does not exist`);
    return found;
  }

  /** `custom` has no rows, as in the original. */
  async figures(reader: ReportReader, period: Period, group: string | undefined, view: RowView, work: Work): Promise<Answer> {
    const wanted = reader.computations.ar && period.granularity !== 'custom';
    const items = wanted ? await ownGroupItems(reader, period, { group }, work) : [];
    return json(bodyOfPieces(dataJson(items, view)));
  }

  /** Without times and `history`, only the latest status of today. */
  statuses(reader: ReportReader, names: Readonly<{ group?: string }>, call: ReadingCall): Promise<Answer> {
    const { query } = call;
    const given = statusSpan(query);
    const timeline = given || query.history !== undefined ? wholeTimeline : endOfTimeline;
    return this.answers.answer({ ...call, format: 'json' }, async (budget) => {
      const collecting = { report: reader, span: given ?? todayOf(reader), flags: wantsDetails(query), budget };
      return resultsOfGroups(await collectGroups(collecting, names), timeline(nowOf(reader)));
    });
  }

  private async byId(tenantId: string, id: string): Promise<ReportReader | undefined> {
    const name = await this.reports.nameOf({ tenantId, id });
    return name === undefined ? undefined : this.results.report(tenantId, name);
  }
}
