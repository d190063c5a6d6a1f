import { readFileSync, readlinkSync } from 'node:fs';
import { uptime } from 'node:os';
import { isRunning } from './is-running.js';

/** The kernel's random id of this boot; if there is none, the second of the boot. */
export const currentBoot = (): string => {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return String(Math.round(Date.now() / 1000 - uptime()));
  }
};

/** The computed second of a boot varies when the clock is set. */
const CLOCK_TOLERANCE_SECONDS = 60;

/** @param recorded what {@link currentBoot} was, or what it is in an {@link ownOrigin} */
export const isThisBoot = (recorded: string): boolean => {
  const current = currentBoot();
  return bare(recorded) === bare(current) || Math.abs(Number(recorded) - Number(current)) <= CLOCK_TOLERANCE_SECONDS;
};

const bare = (boot: string): string => boot.replaceAll('-', '');

/** This process, as a text that no other one has, containers with process ids of their own apart. It has at most 52 characters. */
export const ownOrigin = (): string => [process.pid, startOf(process.pid), bare(currentBoot())].join(':');

/** Three characters that most other containers with process ids of their own do not share; none where the system has no such containers. */
export const ownNamespace = (): string => {
  try {
    return lastOf(Number(/\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0]));
  } catch {
    return '';
  }
};

/** The last three characters of a number: short, and rarely the same for two numbers. */
export const lastOf = (number: number): string => number.toString(36).slice(-3).padStart(3, '0');

/** Whether the process with this {@link ownOrigin} runs. */
export const isOriginAlive = (origin: string): boolean => {
  const [pid, start, boot = ''] = origin.split(':');
  return isThisBoot(boot) && startOf(Number(pid)) === start;
};

/** Process ids are reused, start times (in ticks since the boot) with them are not. `undefined`: there is no such process. */
export const startOf = (pid: number): string | undefined => {
  const stat = statOf(pid);
  // The name of the program is in brackets and may contain anything; the start is the 20th field after it.
  if (stat !== undefined) return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  return statOf('self') === undefined && isRunning(pid) ? 'unknown' : undefined;
};

const statOf = (pid: number | 'self'): string | undefined => {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
};
