import { answerSources } from '#api/status/reads.js';
import { resultsOver } from '#api/status/results-engine/reader-parts.js';
import { openThreadStore } from '#api/status/results-engine/thread-sources.js';
import type { FollowerContext } from '#infra/engine/followers/follower.js';
import { EngineDays } from '#infra/engine/results/engine-days.js';
import { resultsPath } from '#infra/engine/results/results-follower.js';
import { ResultsStore } from '#infra/engine/results/results-store.js';
import { COMPUTE_DAY } from './large-calls.js';
import type { LargeCallSources } from './large-calls-follower.js';

/** Opens the thread's stores. @throws if opening fails */
export const openLargeCallSources = async (context: FollowerContext): Promise<LargeCallSources> => {
  const { documents, store } = await openThreadStore(context);
  const path = resultsPath(context.settings.dataDirectory);
  const kept = ResultsStore.open({ path, report: (message) => context.log.warn({ path }, message) });
  const engine = {
    compute: async (request: unknown) => {
      await context.ask(COMPUTE_DAY, request);
    },
  };
  let mayBeStored = false;
  const stored = () => (mayBeStored ? kept : undefined);
  const results = resultsOver(store, context.now, (inner) => new EngineDays({ inner, stored, engine, now: Date.now }));
  return {
    sources: answerSources(results, store),
    readStored: (may) => {
      mayBeStored = may;
    },
    close: async () => {
      await kept.close();
      await documents.close();
    },
  };
};
