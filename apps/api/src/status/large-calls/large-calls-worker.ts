import { parentPort, workerData } from 'node:worker_threads';
import { openThreadContext } from '#api/runtime/followers/thread-context.js';
import { answersByName } from '#api/status/reads.js';
import { REPORT_READS } from '#api/status/report-reads.js';
import { runFollowers } from '#infra/engine/followers/follower-thread.js';
import { LargeCallsFollower } from './large-calls-follower.js';
import { openLargeCallSources } from './sources.js';

/** Callers wait for it, but smaller calls take precedence. */
const NICENESS = 3;

if (!parentPort) throw new Error('large calls are answered in a thread');
await runFollowers(
  parentPort,
  [async (context) => new LargeCallsFollower(context, await openLargeCallSources(context), answersByName(REPORT_READS))],
  (link) => openThreadContext(workerData, link),
  NICENESS,
);
