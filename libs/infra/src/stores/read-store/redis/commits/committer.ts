import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RedisConnection, ScriptRefused } from '#infra/stores/read-store/redis/connection/connection.js';
import type { ProjectionKeys } from '#infra/stores/read-store/redis/keys.js';
import { type Change, type Namespace, ReadStoreUnavailable } from '#projections/shared/read-store.js';
import { type CommitPlan, commitArguments, planOf, planOfLargePrefixes } from './commit-plan.js';
import { COMMIT, STAGE } from './commit-scripts.js';
import { encodeAreas, type Unfinished } from './unfinished.js';

const HELD_POLL_MS = 5;
/** Maximum duration of a delayed commit, as a multiple of a call's time limit. */
const PATIENCE = 4;

/** Arguments of the commit script before the changes, from `from` to the token. */
type CommitHead = Readonly<{ from: string; to: string; origin: string; token: string }>;

/** Answer of the commit script. */
type CommitReply = Buffer | readonly Buffer[] | null;

/**
 * Commits changes to the documents of one projection. Changes too large for one script are stored in parts first. The commit script then
 * makes all of them effective at once, and they are carried out in steps.
 */
export class Committer {
  constructor(
    private readonly connection: RedisConnection,
    private readonly keys: ProjectionKeys,
    private readonly unfinished: Unfinished,
    private readonly timeLimitMs: number,
  ) {}

  /** @throws Gone, ReadStoreUnavailable */
  async commit(namespace: Namespace, changes: readonly Change[], head: CommitHead): Promise<CommitReply> {
    const end = performance.now() + PATIENCE * this.timeLimitMs;
    const { slot } = namespace;
    let plan = planOf(changes);
    let staged = await this.stage(slot, plan);
    for (;;) {
      try {
        return await this.run(namespace, changes, head, plan, staged);
      } catch (error) {
        await this.settle(error, end);
        const reason = error instanceof ScriptRefused ? error.reason : undefined;
        if (reason === 'LARGE') plan = planOfLargePrefixes(changes);
        if (reason === 'LARGE' || reason === 'STAGED') staged = await this.stage(slot, plan);
      }
    }
  }

  /** @throws the error, unless the script did nothing and can be repeated */
  private async settle(error: unknown, end: number): Promise<void> {
    if (!(error instanceof ScriptRefused)) throw error;
    if (performance.now() > end) throw new ReadStoreUnavailable('a commit is delayed by other readers or writers', { cause: error });
    if (error.reason === 'HELD') await sleep(HELD_POLL_MS);
    else if (error.reason === 'UNFINISHED') await this.unfinished.load(error.slot);
  }

  private async run(
    { slot, generation }: Pick<Namespace, 'slot' | 'generation'>,
    changes: readonly Change[],
    { from, to, origin, token }: CommitHead,
    plan: CommitPlan,
    staged: string,
  ): Promise<CommitReply> {
    const { keys, unfinished, connection } = this;
    if (staged !== '' && unfinished.current.text !== '') await unfinished.finish();
    const before = await unfinished.forChanges(changes);
    const own = [keys.meta, keys.collections(slot), keys.unfinished(slot), keys.staged(slot, staged)];
    const changed = commitArguments(keys, slot, plan.direct, own.length + 1);
    const after = encodeAreas(plan.areas);
    const args = [slot, String(generation), from, to, keys.channel, origin, token, before.text, after, String(plan.parts.length)];
    const reply = await connection.run<CommitReply>(COMMIT, [...own, ...changed.keys], [...args, ...changed.args]);
    // Perhaps left behind by a process that ended.
    if (before.text !== '') this.finishSoon();
    if (staged === '') return reply;
    await unfinished.load(slot);
    // Until this work is done it blocks reads; the next commit would leave readers no time.
    if (plan.areas.some(([, prefix]) => prefix === null)) await unfinished.finish().catch(() => undefined);
    else this.finishSoon();
    return reply;
  }

  private finishSoon(): void {
    // The next process that finds it continues it.
    if (this.unfinished.current.text !== '') this.unfinished.finish().catch(() => undefined);
  }

  /** Stores the parts one after another, because their order counts. Returns the name of the stored list; empty if there are none. */
  private async stage(slot: Namespace['slot'], { parts }: CommitPlan): Promise<string> {
    if (parts.length === 0) return '';
    const name = randomUUID();
    for (const part of parts) await this.connection.run(STAGE, [this.keys.staged(slot, name)], part);
    return name;
  }
}
