import { parentPort, workerData } from 'node:worker_threads';
import { runFollowers } from '#infra/followers/follower-thread.js';
import { openThreadContext } from './thread-context.js';
import { FOLLOWERS } from './which-followers.js';

if (!parentPort) throw new Error('the followers run in a thread');
await runFollowers(parentPort, FOLLOWERS, (link) => openThreadContext(workerData, link));
