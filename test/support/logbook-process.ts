import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A running server of its own process, started from `dist` as `npm start` does. */
export type LogbookProcess = Readonly<{
  url: string;
  /** What it logged so far: one JSON object a line. */
  log: readonly Readonly<Record<string, unknown>>[];
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
}>;

const parseLine = (line: string): Readonly<Record<string, unknown>> => {
  try {
    return JSON.parse(line);
  } catch {
    return { message: line };
  }
};

/** Starts the server with these environment variables (besides PATH and such) on a free port, and waits until it listens. */
export const startLogbook = async (environment: Readonly<Record<string, string>>): Promise<LogbookProcess> => {
  const { PATH = '', HOME = '' } = process.env;
  const child: ChildProcess = spawn(process.execPath, ['--enable-source-maps', 'dist/apps/api/src/main.js'], {
    cwd: new URL('../..', import.meta.url),
    env: { PATH, HOME, LOGBOOK_PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  const log: Readonly<Record<string, unknown>>[] = [];
  const url = new Promise<string>((resolve, reject) => {
    for (const output of [child.stdout, child.stderr]) {
      if (!output) continue;
      createInterface({ input: output }).on('line', (line) => {
        const entry = parseLine(line);
        log.push(entry);
        if (entry.message === 'listening') resolve(String(entry.url));
      });
    }
    void exited.then((code) => reject(new Error(`the server ended with ${code}: ${JSON.stringify(log)}`)));
  });
  const signal = async (name: 'SIGTERM' | 'SIGKILL'): Promise<number | null> => {
    child.kill(name);
    return exited;
  };
  return {
    url: await url,
    log,
    stop: () => signal('SIGTERM'),
    kill: async () => {
      await signal('SIGKILL');
    },
  };
};
