import { documentsPath } from '#api/runtime/installation.js';
import { LargeCallAnswers } from '#api/status/large-calls/large-call-answers.js';
import type { LargeRequest } from '#api/status/large-calls/large-calls.js';
import { answerSources, answersByName } from '#api/status/reads.js';
import { REPORT_READS } from '#api/status/report-reads.js';
import type { Follower, FollowerContext, FollowerSettings } from '#infra/engine/followers/follower.js';
import type { DayRequest } from '#infra/engine/results/day-computer.js';
import { EngineDays } from '#infra/engine/results/engine-days.js';
import { ResultsFollower, type ResultsSources } from '#infra/engine/results/results-follower.js';
import { SealedDocuments } from '#infra/stores/read-store/sealed/sealed-documents.js';
import { SealedReadStore } from '#infra/stores/read-store/sealed/sealed-read-store.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { ComputedResults } from '#projections/status/results/reports-results.js';
import { readerParts } from './reader-parts.js';

/** Separate handles on the read models, for reading. */
const openDocuments = async ({ redisUrl, redisPrefix, dataDirectory }: FollowerSettings): Promise<ReadStore> => {
  if (redisUrl) {
    const { openRedisReadStore } = await import('#infra/stores/read-store/redis/redis-read-store.js');
    return openRedisReadStore({ url: redisUrl, ...(redisPrefix !== undefined && { keyPrefix: redisPrefix }) });
  }
  const { openDocumentStore } = await import('#infra/stores/document-store/open.js');
  return openDocumentStore({ path: documentsPath(dataDirectory), readOnly: true });
};

/** @throws if the read models cannot be opened */
const openSources = async ({ settings, keys, projections }: FollowerContext): Promise<ResultsSources> => {
  const documents = await openDocuments(settings);
  const store = new SealedReadStore(documents, new SealedDocuments(keys, projections));
  return { store, reader: readerParts(store), close: () => documents.close() };
};

/** Computes and keeps days of large reports, and answers large calls from them. */
export const resultsThread = async (context: FollowerContext): Promise<Follower> => {
  const { store, reader, close } = await openSources(context);
  const days = await ResultsFollower.open(context, { store, reader, close });
  const engine = { compute: async (request: DayRequest) => void (await days.answer(request)) };
  const parts = { ...reader, days: new EngineDays({ inner: reader.days, stored: () => days.kept, engine, now: context.now }) };
  const sources = answerSources(new ComputedResults(store, () => parts, context.now), store);
  const calls = new LargeCallAnswers(context.log, sources, answersByName(REPORT_READS));
  return {
    name: days.name,
    start: () => days.start(),
    stop: () => {
      calls.close();
      return days.stop();
    },
    answer: (request) => ('port' in (request as object) ? calls.answer(request as LargeRequest) : days.answer(request as DayRequest)),
  };
};
