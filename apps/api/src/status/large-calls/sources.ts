import { AnswerMemory } from '#api/status/answer-memory.js';
import { resultsOver } from '#api/status/results-engine/reader-parts.js';
import { SwitchedDays, storedDays } from '#api/status/results-engine/results-engine.js';
import { openThreadStore } from '#api/status/results-engine/thread-sources.js';
import type { FollowerContext } from '#infra/engine/followers/follower.js';
import { resultsPath } from '#infra/engine/results/results-follower.js';
import { ResultsStore } from '#infra/engine/results/results-store.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import type { Results } from '#projections/status/results/report-reader.js';
import { COMPUTE_DAY } from './large-calls.js';
import type { LargeCallSources } from './large-calls-follower.js';

/** Creates a controller that answers large calls in the thread. */
export type LargeController = (parts: Readonly<{ results: Results; store: ReadStore; answers: AnswerMemory }>) => object;

/** Opens the thread's stores and creates its controllers. @param makers of the controllers, by path @throws if opening fails */
export const openLargeCallSources = async (
  context: FollowerContext,
  makers: ReadonlyMap<string, LargeController>,
): Promise<LargeCallSources> => {
  const { documents, store } = await openThreadStore(context);
  const path = resultsPath(context.settings.dataDirectory);
  const kept = ResultsStore.open({ path, report: (message) => context.log.warn({ path }, message) });
  const engine = {
    compute: async (request: unknown) => {
      await context.ask(COMPUTE_DAY, request);
    },
  };
  let mayBeStored = false;
  const results = resultsOver(store, context.now, (inner) => {
    const stored = storedDays({ inner, store: kept, engine });
    return new SwitchedDays(() => (mayBeStored ? stored : inner));
  });
  const parts = { results, store, answers: new AnswerMemory() };
  return {
    controllers: new Map([...makers].map(([controller, make]) => [controller, make(parts)])),
    readStored: (may) => {
      mayBeStored = may;
    },
    close: async () => {
      await kept.close();
      await documents.close();
    },
  };
};
