import type { Argument, Script } from '#infra/stores/read-store/redis/script.js';
import { ReadStoreUnavailable } from '#projections/shared/read-store.js';

/** A way to Redis: one server, the master of a Sentinel set-up, or all nodes of a Cluster. */
export interface RedisConnection {
  /** Changes whenever the connection leads to another server; `0` before the first connection. */
  readonly epoch: number;

  /** @throws ReadStoreUnavailable no connection within the time limit */
  untilReady(): Promise<void>;

  /**
   * All keys must be in one slot.
   * @throws Gone, ScriptRefused
   * @throws ReadModelsUnavailable the served documents are below the floor of the read
   * @throws ReadStoreUnavailable it is unknown whether the script ran
   */
  run<Reply>(script: Script, keys: readonly string[], args: readonly Argument[]): Promise<Reply>;

  /**
   * Sends a command whose first argument is a key. Takes one list of arguments, because the stack may be too small for them.
   * @throws ReadStoreUnavailable
   */
  command<Reply>(args: readonly [name: string, key: string, ...Argument[]]): Promise<Reply>;

  /** Sends a command without a key to every server that accepts writes, and returns the answers. @throws ReadStoreUnavailable */
  commandEach<Reply>(args: readonly string[]): Promise<readonly Reply[]>;

  /**
   * Subscribes until the connection ends. After a lost connection the subscription may or may not be restored, so subscribe again in
   * `onReady`. A channel belongs to the node that a key of that name would belong to.
   * @throws ReadStoreUnavailable
   */
  subscribe(channel: string, listener: (message: string, channel: string) => void): Promise<void>;

  /** Waits for the answers to calls in progress; later calls fail. */
  close(): Promise<void>;
}

/** The namespace that a script should use no longer exists. */
export class ConnectionGone extends Error {
  override readonly name = 'Gone';
}

/** Reasons why a script did nothing. */
export const REFUSALS = ['CHANGED', 'UNFINISHED', 'HELD', 'LARGE', 'STAGED'] as const;
type Refusal = (typeof REFUSALS)[number];

/**
 * A script did nothing. `CHANGED`: the documents do not have the requested version. `UNFINISHED`: the unfinished work in the slot differs
 * from that known to the caller. `HELD`: a reader needs a moment. `LARGE`: the commit must be staged. `STAGED`: the staged parts are gone.
 */
export class ScriptRefused extends Error {
  override readonly name = 'ScriptRefused';
  constructor(
    readonly reason: Refusal,
    readonly slot: 'a' | 'b',
  ) {
    super(reason);
  }
}

/** The keys are on another node of a Redis Cluster, or about to be moved there. Nothing was done. */
export class Redirected extends ReadStoreUnavailable {
  override readonly name = 'Redirected';
  constructor(
    readonly kind: 'MOVED' | 'ASK' | 'TRYAGAIN',
    /** `host:port`. Empty with TRYAGAIN; the host may be empty otherwise. */
    readonly address: string,
  ) {
    super('this Redis is a node of a Cluster that does not hold all keys: its URL starts with redis+cluster://');
  }
}
