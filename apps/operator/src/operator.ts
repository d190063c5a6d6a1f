import { userInfo } from 'node:os';
import type { Runtime } from '#api/runtime/runtime.js';
import type { Cause } from '#domain/shared/causation.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { systemContext } from '#infra/stores/event-store/system-events.js';

/** Context of a command on this machine: the log names the operator's account. */
export const operatorContext = ({ clock }: Pick<Runtime, 'clock'>): CommandContext => operatorAt(clock(), null);

/**
 * @param now milliseconds since 1970-01-01 UTC
 * @param cause event that the command continues; `null`: the command is the cause
 */
export const operatorAt = (now: number, cause: Cause | null): CommandContext =>
  systemContext(`cli:${userInfo().username}`, 'ops', now, cause);
