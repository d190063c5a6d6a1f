import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Child } from '#test/bench/servers/child.js';

/** What a process has used since its start, as Linux counts it. */
export type Usage = Readonly<{
  /** CPU time, user and system, of all threads, those that have ended too. */
  micros: number;
  /** The same of each living thread, by its id, with the name that the kernel knows. */
  threads: ReadonlyMap<number, ThreadUsage>;
  /** Bytes that it has given to write calls of files. */
  writtenBytes: number;
}>;

type ThreadUsage = Readonly<{ kernelName: string; micros: number }>;

/** What a process has used for one call. `threads`: microseconds by the name of the thread, threads of one name together. */
export type UsagePerCall = Readonly<{ micros: number; threads: ReadonlyMap<string, number>; writtenBytes: number }>;

/** Of Node on Linux: `USER_HZ` is 100 on all its platforms. */
const TICK_MICROS = 10_000;
/** Fields of `/proc/<pid>/stat` behind the name: user and system time are the 14th and 15th of all, then come those of children that have ended. */
const [USER_TIME, SYSTEM_TIME, CHILDREN_USER_TIME, CHILDREN_SYSTEM_TIME] = [11, 12, 13, 14];
/** What most threads of Node are called: nothing can be told from it. */
const UNNAMED = /^node$/;
/** Names that the kernel knows of threads that run V8's tasks, cut to 15 characters. */
const OF_V8 = /V8Worker|^DelayedTask|^SignalInspector/;
/** Threads of libuv: LMDB commits in them, and Node accesses files and looks up names. */
const LMDB = 'LMDB, files';

/** A line of `/proc/<pid>/stat` or `/proc/<pid>/task/<tid>/stat`. `endedMicros`: of children that have ended and were waited for. */
export const parseStat = (text: string): ThreadUsage & Readonly<{ endedMicros: number }> => {
  const [open, close] = [text.indexOf('('), text.lastIndexOf(')')]; // a name may have any characters
  const fields = text.slice(close + 2).split(' ');
  const micros = (...places: readonly number[]): number => places.reduce((sum, place) => sum + Number(fields[place]) * TICK_MICROS, 0);
  const used = micros(USER_TIME, SYSTEM_TIME);
  if (open < 0 || !Number.isFinite(used)) throw new Error(`no line of a stat file: ${text}`);
  return { kernelName: text.slice(open + 1, close), micros: used, endedMicros: micros(CHILDREN_USER_TIME, CHILDREN_SYSTEM_TIME) };
};

/**
 * `wchar` of `/proc/<pid>/io`: what was given to write calls, of sockets too. `write_bytes` counts pages of the cache, on newer kernels whole groups of
 * them: a small write to a large file counts many times.
 */
export const parseWrittenBytes = (text: string): number => {
  const found = /^wchar: (\d+)$/m.exec(text)?.[1];
  if (found === undefined) throw new Error(`no wchar: ${text}`);
  return Number(found);
};

const writtenBytesOf = (pid: number): number => parseWrittenBytes(readFileSync(`/proc/${pid}/io`, 'utf8'));

const readThread = (path: string): ThreadUsage | undefined => {
  try {
    return parseStat(readFileSync(path, 'utf8'));
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes(`${(error as NodeJS.ErrnoException).code}`)) return undefined; // has ended
    throw error;
  }
};

/** CPU time of a process since its start. @throws where there is no `/proc` */
export const cpuMicrosOf = (pid: number): number => parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8')).micros;

/** @throws where there is no `/proc` */
export const readUsage = async ({ pid, sentBytes }: Pick<Child, 'pid' | 'sentBytes'>): Promise<Usage> => {
  const sent = await sentBytes();
  const threads = new Map<number, ThreadUsage>();
  for (const id of readdirSync(`/proc/${pid}/task`)) {
    const usage = readThread(`/proc/${pid}/task/${id}/stat`);
    if (usage) threads.set(Number(id), usage);
  }
  return { micros: cpuMicrosOf(pid), threads, writtenBytes: writtenBytesOf(pid) - sent };
};

/** What a process and its children have used, also those that have ended; bytes of sockets count too. @throws where there is no `/proc` */
export const readTreeUsage = (pid: number): Readonly<{ micros: number; writtenBytes: number }> => {
  const { micros, endedMicros } = parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').match(/\d+/g) ?? [];
  const own = { micros: micros + endedMicros, writtenBytes: writtenBytesOf(pid) };
  return children.map((child) => readTreeUsage(Number(child))).reduce(sumOf, own);
};

const sumOf = <Used extends Readonly<{ micros: number; writtenBytes: number }>>(left: Used, right: Used) => ({
  micros: left.micros + right.micros,
  writtenBytes: left.writtenBytes + right.writtenBytes,
});

/** What a thread is: as the process itself calls it, else by what the kernel knows. */
export const threadName = (own: string | undefined, kernelName: string): string => {
  if (own !== undefined) return own;
  if (OF_V8.test(kernelName)) return 'V8';
  if (UNNAMED.test(kernelName) || kernelName.startsWith('libuv')) return LMDB;
  return kernelName;
};

/** @param names what the process calls its threads, by their id */
export const usagePerCall = (before: Usage, after: Usage, names: Readonly<Record<number, string>>, calls: number): UsagePerCall => {
  const threads = new Map<string, number>();
  const add = (name: string, micros: number) => threads.set(name, (threads.get(name) ?? 0) + micros / calls);
  for (const [id, { kernelName, micros }] of after.threads)
    add(threadName(names[id], kernelName), micros - (before.threads.get(id)?.micros ?? 0));
  const micros = (after.micros - before.micros) / calls;
  if ([...before.threads.keys()].some((id) => !after.threads.has(id))) {
    const living = [...threads.values()].reduce((sum, used) => sum + used, 0);
    add('ended threads', Math.max(0, micros - living) * calls);
  }
  return { micros, threads, writtenBytes: (after.writtenBytes - before.writtenBytes) / calls };
};

/** The mean of what several slices used for a call, each slice by the number of its calls. */
export const meanUsage = (slices: readonly Readonly<{ calls: number; usage: UsagePerCall }>[]): UsagePerCall => {
  const calls = slices.reduce((sum, slice) => sum + slice.calls, 0);
  const mean = (of: (usage: UsagePerCall) => number): number =>
    slices.reduce((sum, slice) => sum + of(slice.usage) * slice.calls, 0) / calls;
  const names = new Set(slices.flatMap(({ usage }) => [...usage.threads.keys()]));
  return {
    micros: mean(({ micros }) => micros),
    threads: new Map([...names].map((name) => [name, mean(({ threads }) => threads.get(name) ?? 0)])),
    writtenBytes: mean(({ writtenBytes }) => writtenBytes),
  };
};

const LOOK_MS = 250;
const PATIENCE_MS = 60_000;
/** A server that waits uses less. */
const AT_REST = 0.04;

/**
 * Waits until a process has nothing more to do, which a write brings with it. Returns false when it still works after a minute.
 * @param microsOf what it has used so far
 */
export const rests = async (microsOf: () => number): Promise<boolean> => {
  const end = performance.now() + PATIENCE_MS;
  for (let last = microsOf(); performance.now() < end; ) {
    await sleep(LOOK_MS);
    const micros = microsOf();
    if (micros - last <= AT_REST * LOOK_MS * 1_000) return true;
    last = micros;
  }
  return false;
};
