/**
 * Loaded into the measured server before its own code (`--require`): answers the bench, which has no other way into a program that runs as
 * it is shipped. Imports nothing of Logbook.
 */
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { type Profiler, Session } from 'node:inspector/promises';
import { basename } from 'node:path';
import { BroadcastChannel, isMainThread } from 'node:worker_threads';
import type { Used } from './child.js';
import { countSentBytes } from './sent-bytes.js';

/** What the bench asks, and the answers to it. */
export type ServerAnswers = Readonly<{
  /** CPU time of the process, and bytes sent to its clients. */
  used: Used;
  /** Names of threads by their id in Linux; of all others only the kernel knows a name. */
  threads: Readonly<{ threads: Readonly<Record<number, string>> }>;
  startTurns: Readonly<{ started: true }>;
  /** Of the event loop of the main thread, since `startTurns`. `mostCpuMs`: of a turn; what other programs take is not in it. */
  stopTurns: Readonly<{ turns: Turns; mostCpuMs: number }>;
  startProfile: Readonly<{ started: true }>;
  /** Of the main thread, since `startProfile`. */
  stopProfile: Readonly<{ profile: Profiler.Profile }>;
}>;

/**
 * Turns of an event loop. `millis`: how long each took; those shorter than a millisecond are joined to the next. `long`: those over 20 ms, from when to
 * when, in microseconds of the clock that CPU profiles use.
 */
export type Turns = Readonly<{ millis: readonly number[]; long: readonly (readonly [from: number, to: number])[] }>;

type NamedThread = Readonly<{ id: number; name: string }>;

/** V8's own default is 1,000: a slice of a second would have too few samples. */
const SAMPLING_MICROS = 200;
const CHANNEL = 'bench-threads';
const LINUX_THREAD = '/proc/thread-self';

/** `undefined` where threads cannot be seen (not Linux). */
const threadId = (): number | undefined => (existsSync(LINUX_THREAD) ? Number(basename(readlinkSync(LINUX_THREAD))) : undefined);

/** Of `followers-worker.js`: `followers`. */
const nameOfEntry = (path: string): string => basename(path).replace(/(-worker)?\.js$/, '');

/** Before any code of the server has run, all threads but this one are V8's. */
const firstThreads = (): Record<number, string> => {
  const main = threadId();
  if (main === undefined) return {};
  const helpers = readdirSync('/proc/self/task').map((id) => [Number(id), 'V8'] as const);
  return { ...Object.fromEntries(helpers), [main]: 'main' };
};

const LONG_MS = 20;

const monotonicMicros = (): number => Number(process.hrtime.bigint() / 1_000n);

/** CPU time of this thread. */
const cpuMillis = (): number => Number(/^\d+/.exec(readFileSync(`${LINUX_THREAD}/schedstat`, 'utf8'))?.[0]) / 1e6;

/** A timer of a millisecond is due in each turn that follows a longer one. Returns a function that ends it. */
const watchTurns = (): (() => ServerAnswers['stopTurns']) => {
  const millis: number[] = [];
  const long: [number, number][] = [];
  let [last, lastCpu, mostCpuMs] = [monotonicMicros(), cpuMillis(), 0];
  const timer = setInterval(() => {
    const [now, cpu] = [monotonicMicros(), cpuMillis()];
    mostCpuMs = Math.max(mostCpuMs, cpu - lastCpu);
    lastCpu = cpu;
    const took = (now - last) / 1_000;
    millis.push(took);
    if (took > LONG_MS) long.push([last, now]);
    last = now;
  }, 1);
  return () => {
    clearInterval(timer);
    return { turns: { millis, long }, mostCpuMs };
  };
};

const answerBench = (): void => {
  const sentBytes = countSentBytes();
  const threads = firstThreads();
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = (event) => {
    const { id, name } = event.data as NamedThread;
    threads[id] = name;
  };
  channel.unref();
  const session = new Session();
  let stopTurns = (): ServerAnswers['stopTurns'] => ({ turns: { millis: [], long: [] }, mostCpuMs: 0 });
  const answers: { [Question in keyof ServerAnswers]: () => Promise<ServerAnswers[Question]> } = {
    used: async () => {
      const { user, system } = process.cpuUsage();
      return { cpuMicros: user + system, sentBytes: sentBytes() };
    },
    threads: async () => ({ threads }),
    startTurns: async () => {
      stopTurns = watchTurns();
      return { started: true };
    },
    stopTurns: async () => stopTurns(),
    startProfile: async () => {
      session.connect();
      await session.post('Profiler.enable');
      await session.post('Profiler.setSamplingInterval', { interval: SAMPLING_MICROS });
      await session.post('Profiler.start');
      return { started: true };
    },
    stopProfile: async () => {
      const answer = await session.post('Profiler.stop');
      session.disconnect();
      return answer;
    },
  };
  process.on('message', (question: keyof ServerAnswers) => {
    void answers[question]().then((answer) => process.send?.(answer));
  });
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM')); // the bench has ended, or wants the server to
};

const tellName = (): void => {
  const id = threadId();
  if (id === undefined) return;
  setImmediate(() => {
    const channel = new BroadcastChannel(CHANNEL);
    channel.postMessage({ id, name: nameOfEntry(process.argv[1] ?? '') } satisfies NamedThread);
    channel.close();
  });
};

if (isMainThread) answerBench();
else tellName();
