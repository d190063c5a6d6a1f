import { parentPort, workerData } from 'node:worker_threads';
import { openThreadContext } from '#api/runtime/followers/thread-context.js';
import { LARGE_CONTROLLERS } from '#api/status/large-controllers.js';
import { runFollowers } from '#infra/engine/followers/follower-thread.js';
import { LargeCallsFollower } from './large-calls-follower.js';
import { openLargeCallSources } from './sources.js';

/** Callers wait for it, but smaller calls take precedence. */
const NICENESS = 3;

if (!parentPort) throw new Error('large calls are answered in a thread');
await runFollowers(
  parentPort,
  [async (context) => new LargeCallsFollower(context, await openLargeCallSources(context, LARGE_CONTROLLERS))],
  (link) => openThreadContext(workerData, link),
  NICENESS,
);
