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
import { AnswerMemory } from './answers/answer-memory.js';
import { HandedOver, LARGE_RESULTS } from './large-calls/handed-over.js';
import { Reading, type ReadingCall } from './parameters.js';
import { AnswersOptions, Get, READERS, StatusController } from './route.js';

/** Sources of answers about reports: those of the server, or those of the thread of results. */
export const answerSources = (results: Results, store: ReadStore) => ({
  results,
  answers: new AnswerMemory(),
  reports: new ReportQueries(store),
  metricData: new MetricDataQueries(store),
  metricList: new MetricListQueries(store),
});
export type AnswerSources = Readonly<ReturnType<typeof answerSources>>;

/** Injection token for {@link AnswerSources}. */
export const ANSWER_SOURCES = Symbol('AnswerSources');
export const answerSourcesProvider = provides(ANSWER_SOURCES, [LARGE_RESULTS, READ_STORE], answerSources);

/** The sources of a call, whose large reads end with its connection. */
const sourcesOf = ({ results, ...others }: AnswerSources, { work }: ReadingCall): AnswerSources => ({
  ...others,
  results: { report: (tenantId, name) => results.report(tenantId, name, () => work.isPointless) },
});

type Paths = Parameters<typeof Get>[0];
type Declaration = Parameters<typeof Get>[1];
/** Facts about the reads of a table, unless they have their own. `who`: default READERS. */
type Shared = Partial<Pick<Declaration, 'who' | 'query' | 'errors'>>;

type ReadAnswer = (sources: AnswerSources, call: ReadingCall, params: never) => Promise<Answer>;

/** A read about a report: its paths with operation ids, its description, and its answer. */
type ReportRead = Omit<Declaration, 'who'> & Readonly<{ paths: Paths; answer: ReadAnswer }>;

/** Reads at paths below a common one. `tag`: their group in OpenAPI; `options`: summary of OPTIONS at all their paths. */
export type ReadTable = Shared & Readonly<{ path: string; tag: Tag; options: string; reads: readonly ReportRead[] }>;

/** The operation id of its first path. */
const nameOf = ({ paths }: ReportRead): string => Object.values(paths).map(idIn)[0] ?? '';

/** Answers by names of reads, for the thread of results. */
export const answersByName = (tables: readonly ReadTable[]): ReadonlyMap<string, ReadAnswer> =>
  new Map(tables.flatMap(({ reads }) => reads.map((read) => [nameOf(read), read.answer])));

/** The controller of a table: each read is a method with its name. Large calls are handed over to the thread. */
export const controllerOf = ({ path, tag, options, reads, ...shared }: ReadTable): Type => {
  class ReportReads {
    constructor(@Inject(ANSWER_SOURCES) readonly sources: AnswerSources) {}
  }
  const { prototype } = ReportReads;
  for (const read of reads) {
    const { paths, answer, ...own } = read;
    const name = nameOf(read);
    const value = async function (this: ReportReads, call: ReadingCall, params: never): Promise<Answer> {
      try {
        return await answer(sourcesOf(this.sources, call), call, params);
      } catch (error) {
        if (error instanceof HandedOver) return error.answer(name, call, params);
        throw error;
      }
    };
    const descriptor: PropertyDescriptor = { value, configurable: true, writable: true };
    Object.defineProperty(prototype, name, descriptor);
    Reading()(prototype, name, 0);
    Param()(prototype, name, 1);
    Get(paths, { who: READERS, ...shared, ...own })(prototype, name, descriptor);
  }
  StatusController(path, tag)(ReportReads);
  AnswersOptions(options)(ReportReads);
  return ReportReads;
};
