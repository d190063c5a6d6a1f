import type { Decider } from '#domain/shared/decider.js';
import type { DomainEvent } from '#domain/shared/events.js';
import type { CommandContext, Execution } from '#domain/shared/execution.js';

/** A command in the queue of its stream. Types of state, command and events are erased here; its decider knows them. */
export type QueuedCommand = Readonly<{
  decider: Decider<unknown, unknown, DomainEvent>;
  command: unknown;
  context: CommandContext;
  /** Set if only an earlier use of its idempotency key is wanted: rejected with `NOT_REPEATED` if there is none. */
  onlyRepeated?: true;
  resolve(execution: Execution): void;
  reject(error: unknown): void;
}>;

/** No earlier command had the idempotency key. Never leaves the processor. */
export const NOT_REPEATED = new Error('the idempotency key was not used before');

/** Too many commands wait for this stream; nothing was written. */
export class Overloaded extends Error {
  override readonly name = 'Overloaded';
  constructor(readonly stream: string) {
    super(`stream ${stream}: too many commands are waiting`);
  }
}

/** Other writers were faster on every attempt; nothing was written. */
export class ConcurrencyExhausted extends Error {
  override readonly name = 'ConcurrencyExhausted';
  constructor(
    readonly stream: string,
    readonly attempts: number,
  ) {
    super(`stream ${stream}: ${attempts} attempts failed because of other writers`);
  }
}

/** The idempotency key was used with another request body; nothing was written. */
export class IdempotencyKeyReused extends Error {
  override readonly name = 'IdempotencyKeyReused';
  constructor(readonly stream: string) {
    super(`stream ${stream}: the idempotency key was used with another body`);
  }
}

/** The processor is closing and accepts no more commands. */
export class ProcessorClosed extends Error {
  override readonly name = 'ProcessorClosed';
}
