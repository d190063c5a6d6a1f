import type { Argument, Script } from '#infra/stores/read-store/redis/script.js';
import { ReadStoreUnavailable } from '#projections/shared/read-store.js';

/** A way to Redis: one server, the master of a Sentinel set-up, or all nodes of a Cluster. */
export interface RedisConnection {
  /** A different number after every change of what it is connected to, `0` before the first connection. */
  readonly epoch: number;

  /** @throws ReadStoreUnavailable no connection within the time limit */
  untilReady(): Promise<void>;

  /**
   * All keys are in one slot.
   * @throws Gone, ScriptRefused
   * @throws ReadModelsUnavailable what is served is behind the floor of the read
   * @throws ReadStoreUnavailable it is unknown whether the script ran
   */
  run<Reply>(script: Script, keys: readonly string[], args: readonly Argument[]): Promise<Reply>;

  /**
   * A command whose first argument is a key. Takes one list of arguments: there may be more than a call has room for on the stack.
   * @throws ReadStoreUnavailable
   */
  command<Reply>(args: readonly [name: string, key: string, ...Argument[]]): Promise<Reply>;

  /** Answers to a command without a key, of every server that takes writes. @throws ReadStoreUnavailable */
  commandEach<Reply>(args: readonly string[]): Promise<readonly Reply[]>;

  /**
   * The subscription lasts until the connection ends. After a lost connection it may or may not come back by itself, so subscribe again in
   * `onReady`. A channel goes where a key of that name would be.
   * @throws ReadStoreUnavailable
   */
  subscribe(channel: string, listener: (message: string, channel: string) => void): Promise<void>;

  /** Waits for the answers to calls in progress; later calls fail. */
  close(): Promise<void>;
}

/** The namespace that a script should work on does not exist any more. */
export class ConnectionGone extends Error {
  override readonly name = 'Gone';
}

/** Why a script did nothing. */
export const REFUSALS = ['CHANGED', 'UNFINISHED', 'HELD', 'LARGE', 'STAGED'] as const;
type Refusal = (typeof REFUSALS)[number];

/**
 * A script did nothing. `CHANGED`: the documents are not those of the version asked for. `UNFINISHED`: something else is unfinished in the slot than
 * the caller knows. `HELD`: a reader needs a moment. `LARGE`: the commit has to be staged. `STAGED`: what was staged is gone.
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

/** The keys are on another node of a Redis Cluster, or about to be. Nothing was done. */
export class Redirected extends ReadStoreUnavailable {
  override readonly name = 'Redirected';
  constructor(
    readonly kind: 'MOVED' | 'ASK' | 'TRYAGAIN',
    /** `host:port`; empty with TRYAGAIN, and the host may be. */
    readonly address: string,
  ) {
    super('this Redis is a node of a Cluster that does not hold all keys: its URL starts with redis+cluster://');
  }
}
