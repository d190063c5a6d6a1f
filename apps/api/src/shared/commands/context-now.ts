import type { Clock } from '#domain/shared/clock.js';
import type { CommandContext } from '#domain/shared/execution.js';

/** The context of a command that was made some time ago: what was slow comes before its events, and events of a stream stay in the order of their times. */
export const contextNow = (context: CommandContext, clock: Clock): CommandContext => ({
  ...context,
  time: new Date(clock()).toISOString(),
});

/** The context of a step of a command: the key of a request counts for what it asks for, not for what that takes. */
export const withoutKey = ({ idempotency: _, ...context }: CommandContext): CommandContext => context;
