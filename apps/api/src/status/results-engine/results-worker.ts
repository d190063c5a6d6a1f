import { parentPort, workerData } from 'node:worker_threads';
import { openThreadContext } from '#api/runtime/followers/thread-context.js';
import { runFollowers } from '#infra/engine/followers/follower-thread.js';
import { resultsThread } from './results-thread.js';

/** Reads wait for it, unlike for other followers. But requests that need no computation take precedence. */
const NICENESS = 2;

if (!parentPort) throw new Error('results are computed in a thread');
await runFollowers(parentPort, [resultsThread], (link) => openThreadContext(workerData, link), NICENESS);
