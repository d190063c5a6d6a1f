import type { ServiceThreads, ThreadParts } from '#api/runtime/service-threads.js';
import { openLargeCalls } from './large-calls/large-calls.js';
import { ResultsEngine } from './results-engine/results-engine.js';

/** The threads that compute and answer results for the main thread. */
export const openResultsThreads = (parts: ThreadParts): ServiceThreads => {
  const results = new ResultsEngine(parts);
  const largeCalls = openLargeCalls({ ...parts, engine: results });
  return { results, ...(largeCalls && { largeCalls }) };
};
