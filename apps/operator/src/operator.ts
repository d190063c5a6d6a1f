import { userInfo } from 'node:os';
import type { Runtime } from '#api/runtime/runtime.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { systemContext } from '#infra/stores/event-store/system-events.js';

/** What surrounds a command that somebody gave on this machine: their account stands in the log. */
export const operatorContext = ({ clock }: Pick<Runtime, 'clock'>): CommandContext => operatorAt(clock());

/** @param now milliseconds since 1970-01-01 UTC */
export const operatorAt = (now: number): CommandContext => systemContext(`cli:${userInfo().username}`, 'ops', now);
