import { parentPort, workerData } from 'node:worker_threads';
import { runFollowers } from '#infra/engine/followers/follower-thread.js';
import { openThreadContext } from './thread-context.js';
import { followersOf } from './which-followers.js';

if (!parentPort) throw new Error('the followers run in a thread');
await runFollowers(parentPort, followersOf(workerData), (link) => openThreadContext(workerData, link));
