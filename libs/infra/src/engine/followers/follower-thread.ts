import { setPriority } from 'node:os';
import { isMainThread, type MessagePort } from 'node:worker_threads';
import { seeNewest } from '#infra/platform/lmdb/environment.js';
import { onEnvironmentLost } from '#infra/platform/lmdb/environment-error.js';
import type { Follower, FollowerContext, FollowerFactory, FromThread, ToThread } from './follower.js';
import { messageOf, Replies } from './replies.js';

/** Parts of a context that only the thread has. */
export type ThreadLink = Pick<FollowerContext, 'report' | 'ask'>;

/** Opens what followers need, and closes it. */
export type OpenContext = (link: ThreadLink) => Promise<Readonly<{ context: FollowerContext; close(): Promise<void> }>>;

/** Below the threads that answer requests. Linux: the priority of this thread alone. */
const NICENESS = 10;

const lowerPriority = (niceness: number): void => {
  if (isMainThread || process.platform !== 'linux') return; // elsewhere it would be that of the whole process
  try {
    setPriority(0, niceness);
  } catch {
    // It is only slower for the others.
  }
};

/**
 * Runs followers in a thread, until it is told to stop. The port is closed then, so that the thread ends.
 * @param niceness how far the priority of the thread is below the others. Default 10
 */
export const runFollowers = async (
  port: MessagePort,
  factories: readonly FollowerFactory[],
  open: OpenContext,
  niceness = NICENESS,
): Promise<void> => {
  lowerPriority(niceness);
  const say = (message: FromThread): void => port.postMessage(message);
  onEnvironmentLost(({ path }) => say({ kind: 'lost', path }));
  const replies = new Replies();
  const { context, close } = await open({
    report: (follower, state) => say({ kind: 'state', follower, state }),
    ask: (topic, request) => replies.expect((id) => say({ kind: 'ask', id, topic, request })),
  });
  const followers = new Map<string, Follower>();
  for (const factory of factories) {
    const follower = await factory(context);
    followers.set(follower.name, follower);
  }
  const answer = async (id: number, follower: Follower | undefined, request: unknown): Promise<void> => {
    try {
      if (!follower?.answer) throw new Error('there is no such follower');
      say({ kind: 'answer', id, result: await follower.answer(request) });
    } catch (error) {
      say({ kind: 'answer', id, error: messageOf(error) });
    }
  };
  const stop = async (): Promise<void> => {
    await Promise.all([...followers.values()].map((follower) => follower.stop()));
    await close();
    say({ kind: 'stopped' });
    port.close();
  };
  port.on('message', (message: ToThread) => {
    seeNewest(); // what the main thread has written before it says something, it may take for known
    if (message.kind === 'stop') void stop();
    else if (message.kind === 'answer') replies.settle(message);
    else void answer(message.id, followers.get(message.follower), message.request);
  });
  for (const follower of followers.values()) follower.start();
  say({ kind: 'started' });
};
