import { readFileSync, readlinkSync } from 'node:fs';
import { uptime } from 'node:os';
import { codeOf } from './system-error.js';

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

/** Whether the process with this {@link ownOrigin} runs. A process with its id of which the system hides the start counts as the same one. */
export const isOriginAlive = (origin: string): boolean => {
  const [pid, start, boot = ''] = origin.split(':');
  const found = startOf(Number(pid));
  return found !== undefined && [start, UNKNOWN].includes(found) && isThisBoot(boot);
};

/** The system does not show the start: it has no `/proc`, or hides processes of other users. */
const UNKNOWN = 'unknown';

/** Process ids are reused, start times (in ticks since the boot) with them are not. `undefined`: there is no such process, it is dead, or the id is invalid. */
export const startOf = (pid: number): string | undefined => {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined; // 0 and negative numbers are groups of processes
  try {
    return startIn(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return isThere(pid) ? UNKNOWN : undefined;
  }
};

/**
 * The start in a text of `/proc/<pid>/stat`. `undefined`: a dead process that its parent has not waited for. If only its main thread has ended, the others
 * still use its files.
 */
export const startIn = (stat: string): string | undefined => {
  // The name of the program is in brackets and may contain anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const isDead = /[ZXx]/.test(fields[0] ?? '') && Number(fields[17]) <= 1;
  return isDead ? undefined : fields[19];
};

const isThere = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM'; // it is another user's
  }
};
