import { randomUUID } from 'node:crypto';
import type { Position } from '#domain/shared/events.js';
import type { Follower, FollowerContext } from '#infra/engine/followers/follower.js';
import type { Followers } from '#infra/engine/followers/followers.js';
import { awaitedLater } from '#infra/platform/coordination/awaited-later.js';
import type { ResumePoint } from './chain-end.js';
import type { LeafSource } from './chain-follower.js';
import type { LeafBatch } from './leaf-batch.js';
import { LeafHasher } from './leaf-hasher.js';

const NAME = 'leaves';

type Request =
  | Readonly<{ kind: 'open'; session: string; resume: ResumePoint }>
  | Readonly<{ kind: 'next' | 'close'; session: string }>
  | Readonly<{ kind: 'hurry'; session: string; position: Position }>;

type Session = Readonly<{ hasher: LeafHasher; batches: AsyncGenerator<LeafBatch>; ending: AbortController }>;

/**
 * Makes leaves outside the threads that answer requests, when the main thread asks for them: only that one appends. A session is one run of
 * the chaining node. Batches are passed on one by one, so that at most one is hashed in advance.
 */
export class LeafFollower implements Follower {
  readonly name = NAME;
  private readonly sessions = new Map<string, Session>();

  constructor(private readonly context: Pick<FollowerContext, 'events'>) {}

  start(): void {
    // Idle until the main thread asks.
  }

  async stop(): Promise<void> {
    for (const { ending } of this.sessions.values()) ending.abort();
    this.sessions.clear();
  }

  answer(request: unknown): unknown {
    const asked = request as Request;
    const session = this.sessions.get(asked.session);
    switch (asked.kind) {
      case 'open':
        return this.open(asked.session, asked.resume);
      case 'next':
        return this.next(asked.session, session);
      case 'hurry':
        return session?.hasher.hurry(asked.position);
      case 'close':
        return this.close(asked.session, session);
    }
  }

  private open(id: string, resume: ResumePoint): void {
    const ending = new AbortController();
    const hasher = new LeafHasher(this.context.events, resume, ending.signal);
    this.sessions.set(id, { hasher, batches: hasher.batches(), ending });
  }

  /** Nobody may ask for what has been read ahead. */
  private close(id: string, session: Session | undefined): void {
    session?.ending.abort();
    this.sessions.delete(id);
    void session?.batches.return(undefined).catch(() => undefined);
  }

  private async next(id: string, session: Session | undefined): Promise<LeafBatch | null> {
    if (!session) throw new Error('the thread of the followers was started again');
    try {
      const { done, value } = await session.batches.next();
      if (done) this.sessions.delete(id);
      return done ? null : value;
    } catch (error) {
      this.sessions.delete(id);
      throw error;
    }
  }
}

/** Leaves made by the {@link LeafFollower} of these followers. */
export const leavesFrom =
  (followers: Pick<Followers, 'ask'>) =>
  (resume: ResumePoint, signal: AbortSignal): LeafSource => {
    const session = randomUUID();
    const ask = (request: Request) => followers.ask(NAME, request);
    return {
      hurry: (position) => void ask({ kind: 'hurry', session, position }).catch(() => undefined),
      async *batches() {
        await ask({ kind: 'open', session, resume });
        const close = (): void => void ask({ kind: 'close', session }).catch(() => undefined);
        signal.addEventListener('abort', close, { once: true });
        try {
          if (signal.aborted) close();
          for (let next = ask({ kind: 'next', session }); ; ) {
            const batch = (await next) as LeafBatch | null;
            if (batch === null) return;
            next = awaitedLater(ask({ kind: 'next', session })); // hashed while this one is appended
            yield batch;
          }
        } finally {
          signal.removeEventListener('abort', close);
          close();
        }
      },
    };
  };
