import { setPriority } from 'node:os';
import { isMainThread, type MessagePort } from 'node:worker_threads';
import { seeNewest } from '#infra/platform/lmdb/environment.js';
import { onEnvironmentLost } from '#infra/platform/lmdb/environment-error.js';
import type { Follower, FollowerContext, FollowerFactory, FromThread, ToThread } from './follower.js';
import { messageOf, Replies } from './replies.js';

/** Parts of a context that exist only in the thread. */
export type ThreadLink = Pick<FollowerContext, 'report' | 'ask'>;

/** Opens and closes the dependencies of followers. */
export type OpenContext = (link: ThreadLink) => Promise<Readonly<{ context: FollowerContext; close(): Promise<void> }>>;

/** Lower priority than the threads that answer requests. On Linux it applies to this thread alone. */
const NICENESS = 10;

const lowerPriority = (niceness: number): void => {
  if (isMainThread || process.platform !== 'linux') return; // on other systems it would apply to the whole process
  try {
    setPriority(0, niceness);
  } catch {
    // Only the other threads become slower.
  }
};

/**
 * Runs followers in a thread until it gets a message to stop. Then it closes the port, so that the thread ends.
 * @param niceness difference of the thread's priority to the others. Default 10
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
    seeNewest(); // the main thread writes before it sends, so its writes must be visible here
    if (message.kind === 'stop') void stop();
    else if (message.kind === 'answer') replies.settle(message);
    else void answer(message.id, followers.get(message.follower), message.request);
  });
  for (const follower of followers.values()) follower.start();
  say({ kind: 'started' });
};
