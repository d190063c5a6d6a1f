import { Inject, Param, type Type } from '@nestjs/common';
import type { Answer } from '#api/shared/http/answer.js';
import type { Tag } from '#api/shared/openapi/tags.js';
import { provides } from '#api/shared/provides.js';
import { idIn } from '#api/shared/routes/route.js';
import { READ_STORE } from '#api/shared/tokens.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { MetricDataQueries } from '#projections/status/metric-data/queries.js';
import { MetricListQueries } from '#projections/status/metric-list/queries.js';
import { ReportQueries } from '#projections/status/reports/queries.js';
import type { Results } from '#projections/status/results/report-reader.js';
import { AnswerMemory } from './answer-memory.js';
import { AnswersLargeCalls, LARGE_RESULTS } from './large-calls/handed-over.js';
import { Reading, type ReadingCall } from './parameters.js';
import { AnswersOptions, Get, READERS, StatusController } from './route.js';

/** Sources of answers about reports: those of the server, or those of the thread of large calls. */
export const answerSources = (results: Results, store: ReadStore) => ({
  results,
  answers: new AnswerMemory(),
  reports: new ReportQueries(store),
  metricData: new MetricDataQueries(store),
  metricList: new MetricListQueries(store),
});
export type AnswerSources = Readonly<ReturnType<typeof answerSources>>;

export const ANSWER_SOURCES = Symbol('AnswerSources');
export const answerSourcesProvider = provides(ANSWER_SOURCES, [LARGE_RESULTS, READ_STORE], answerSources);

type Paths = Parameters<typeof Get>[0];
type Declaration = Parameters<typeof Get>[1];
/** Facts that the reads of a table share unless they have their own. */
type Shared = Pick<Declaration, 'query' | 'errors'> & Partial<Pick<Declaration, 'who'>>;

/** A read about a report: its paths with operation ids, its description, and its answer. */
export type ReportRead = Omit<Declaration, 'who'> &
  Readonly<{ paths: Paths; answer: (sources: AnswerSources, call: ReadingCall, params: never) => Promise<Answer> }>;

/** Reads at paths below a common one. `tag`: their group in OpenAPI; `options`: summary of OPTIONS at all their paths. */
export type ReadTable = Shared & Readonly<{ path: string; tag: Tag; options: string; reads: readonly ReportRead[] }>;

/** The controller of a table: each read is a method with the operation id of its first path. */
export const controllerOf = ({ path, tag, options, reads, ...shared }: ReadTable): Type => {
  class ReportReads {
    constructor(@Inject(ANSWER_SOURCES) readonly sources: AnswerSources) {}
  }
  const { prototype } = ReportReads;
  for (const { paths, answer, ...own } of reads) {
    const name = Object.values(paths).map(idIn)[0] ?? '';
    const value = function (this: ReportReads, call: ReadingCall, params: never) {
      return answer(this.sources, call, params);
    };
    const descriptor: PropertyDescriptor = { value, configurable: true, writable: true };
    Object.defineProperty(prototype, name, descriptor);
    Reading()(prototype, name, 0);
    Param()(prototype, name, 1);
    Get(paths, { who: READERS, ...shared, ...own })(prototype, name, descriptor);
  }
  StatusController(path, tag)(ReportReads);
  AnswersLargeCalls()(ReportReads);
  AnswersOptions(options)(ReportReads);
  return ReportReads;
};
