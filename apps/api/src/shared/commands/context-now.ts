import type { Clock } from '#domain/shared/clock.js';
import type { CommandContext } from '#domain/shared/execution.js';

/**
 * The context of a command that was created some time ago, with the current time: slow steps precede its events, and events of a stream
 * stay in the order of their times.
 */
export const contextNow = (context: CommandContext, clock: Clock): CommandContext => ({
  ...context,
  time: new Date(clock()).toISOString(),
});

/** The context of one step of a command: a request's key identifies the whole command, not its steps. */
export const withoutKey = ({ idempotency: _, ...context }: CommandContext): CommandContext => context;

/** The same for a step that only prepares a command or ends its preparations. */
export const aside = ({ onExecuted, ...context }: CommandContext): CommandContext => ({
  ...withoutKey(context),
  ...(onExecuted && { onExecuted: (execution) => onExecuted(execution, true) }),
});
