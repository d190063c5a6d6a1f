import type { Profiler } from 'node:inspector';
import { fileURLToPath } from 'node:url';
import type { Cleanup } from '#test/support/cleanup.js';
import { builtModule } from '#test/support/processes/built.js';
import { freePorts } from '#test/support/processes/free-ports.js';
import { ask, type Child, forkProgram } from './child.js';
import type { ServerAnswers, Turns } from './server-preload.js';

/** Logbook as `npm start` runs it. */
export type LogbookServer = Child &
  Readonly<{
    /** Names of threads by their id in Linux, as far as the server knows them. */
    threadNames(): Promise<Readonly<Record<number, string>>>;
    /** Turns of the event loop of the main thread while `work` runs. */
    turns<Result>(work: () => Promise<Result>): Promise<Readonly<{ result: Result; turns: Turns; mostCpuMs: number }>>;
    /** CPU profile of the main thread while `work` runs. */
    profile<Result>(work: () => Promise<Result>): Promise<Readonly<{ result: Result; profile: Profiler.Profile }>>;
  }>;

type StartOptions = Readonly<{
  environment: Readonly<Record<string, string>>;
  /** Working directory: no `.env` is there. */
  directory: string;
  /** Further options of Node. */
  execArgv?: readonly string[];
  /** The read models may take so long to catch up. */
  patienceMs?: number | undefined;
}>;

const READY_MS = 120_000;
const PROGRAM = fileURLToPath(builtModule('server/main'));
const PRELOAD = fileURLToPath(builtModule('test/bench/servers/server-preload'));

/** Starts the server that is shipped, and waits until its read models have caught up. */
export const startLogbookServer = async (
  cleanup: Cleanup,
  { environment, directory, execArgv = [], patienceMs = READY_MS }: StartOptions,
): Promise<LogbookServer> => {
  const [port] = await freePorts(1);
  const { PATH = '', HOME = '' } = process.env;
  const child = forkProgram(cleanup, PROGRAM, {
    cwd: directory,
    detached: true, // from the terminal: a Ctrl-C there is for the bench, which then ends the server
    env: {
      PATH,
      HOME,
      ...environment,
      LOGBOOK_HOST: '127.0.0.1',
      LOGBOOK_PORT: `${port}`,
      NODE_OPTIONS: `--require ${JSON.stringify(PRELOAD)}`, // threads take it over, too
    },
    execArgv: [...execArgv],
  });
  const answerTo = <Question extends keyof ServerAnswers>(question: Question) =>
    ask(child, question, (message: ServerAnswers[Question]) => message);
  const server: LogbookServer = {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    cpuMicros: async () => (await answerTo('used')).cpuMicros,
    sentBytes: async () => (await answerTo('used')).sentBytes,
    threadNames: async () => (await answerTo('threads')).threads,
    turns: async (work) => {
      await answerTo('startTurns');
      const result = await work();
      return { result, ...(await answerTo('stopTurns')) };
    },
    profile: async (work) => {
      await answerTo('startProfile');
      const result = await work();
      return { result, profile: (await answerTo('stopProfile')).profile };
    },
  };
  await ready(server, patienceMs);
  return server;
};

/** @throws when the server ends, or is not ready for long */
const ready = async ({ url, cpuMicros }: Child, patienceMs: number): Promise<void> => {
  const end = Date.now() + patienceMs;
  while (!(await isReady(url))) {
    if (Date.now() > end) throw new Error(`${url} is not ready after ${patienceMs} ms`);
    await cpuMicros(); // throws when it has ended
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

const isReady = async (url: string): Promise<boolean> => {
  try {
    return (await fetch(`${url}/health`)).status === 200;
  } catch {
    return false; // does not listen yet
  }
};
