import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { basename, dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** This file runs from its source in tests, and from `dist` in attacks. */
const HERE = fileURLToPath(new URL('../../..', import.meta.url));
const ROOT = basename(HERE) === 'dist' ? dirname(HERE) : HERE;

/** A running server of its own process, started from `dist` as `npm start` does. */
export type LogbookProcess = Readonly<{
  url: string;
  /** The id of the process. */
  pid: number;
  /** What it logged so far, line by line, as it came. */
  lines: readonly string[];
  /** Exit code and last lines, once it has ended without being told to. */
  readonly unexpectedEnd: string | null;
  /** SIGTERM; resolves with the exit code, `null` when it was killed before. */
  stop(): Promise<number | null>;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
}>;

/** A process that is to end by itself. */
export type Finished = Readonly<{ code: number | null; stdout: string; stderr: string }>;

/** Of a server for tests: nothing of this process but what every program needs. */
export const environmentOf = (environment: Readonly<Record<string, string>>): Record<string, string> => {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME, LOGBOOK_PORT: '0', ...environment };
};

/** The address in the log line that says `listening`. */
export const addressIn = (line: string): string | undefined => {
  if (!line.includes('"listening"')) return undefined;
  const { message, url } = JSON.parse(line) as { message?: unknown; url?: unknown };
  return message === 'listening' ? String(url) : undefined;
};

/** Notices the end of a server that nobody asked for. */
export const watchEnd = (exited: Promise<number | null>, lines: readonly string[]) => {
  const seen: { isAsked: boolean; unexpected: string | null } = { isAsked: false, unexpected: null };
  void exited.then((code) => {
    if (!seen.isAsked) seen.unexpected = `the server ended with ${code}:\n${lines.slice(-20).join('\n')}`;
  });
  return seen;
};

/** A server that may not listen yet, or never will. `url` rejects with the exit code and all output when it ends before. */
export type LaunchedLogbook = Readonly<{
  url: Promise<string>;
  pid: number;
  lines: readonly string[];
  /** Resolves with the exit code, `null` when it was killed. */
  exited: Promise<number | null>;
  /** Whether the process is gone. */
  readonly hasEnded: boolean;
  /** The signal that ended it. */
  readonly endedBy: NodeJS.Signals | null;
  signal(name: 'SIGTERM' | 'SIGKILL'): Promise<number | null>;
}>;

/**
 * Starts the server with these environment variables (besides PATH and such), on a free port unless they name one.
 * @param root where the program is. Default: this checkout
 */
export const launchLogbook = (
  environment: Readonly<Record<string, string>>,
  program: readonly string[] = ['dist/server/main.js'],
  root = ROOT,
): LaunchedLogbook => {
  const child = spawn(process.execPath, ['--enable-source-maps', '--max-semi-space-size=32', ...program], {
    cwd: root,
    env: environmentOf(environment),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  // `close`, not `exit`: by then all output has been read.
  const exited = once(child, 'close').then(([code]) => code as number | null);
  const url = new Promise<string>((resolve, reject) => {
    for (const output of [child.stdout, child.stderr]) {
      createInterface({ input: output }).on('line', (line) => {
        lines.push(line);
        const address = addressIn(line);
        if (address !== undefined) resolve(address);
      });
    }
    void exited.then((code) => reject(new Error(`the server ended with ${code}: ${lines.join('\n')}`)));
  });
  url.catch(() => undefined); // whoever expects the end does not wait for the address
  return {
    url,
    pid: child.pid ?? 0,
    lines,
    exited,
    get hasEnded() {
      return child.exitCode !== null || child.signalCode !== null;
    },
    get endedBy() {
      return child.signalCode;
    },
    signal: (name) => {
      child.kill(name);
      return exited;
    },
  };
};

/**
 * Starts the server with these environment variables (besides PATH and such) on a free port, and waits until it listens.
 * @param asOf the point in time that it is to show; then it is `logbook serve --as-of`
 * @param root where the program is. Default: this checkout
 * @throws with the exit code and all output when it ends instead
 */
export const startLogbook = async (
  environment: Readonly<Record<string, string>>,
  asOf?: string,
  root?: string,
): Promise<LogbookProcess> => {
  const program = asOf === undefined ? undefined : ['dist/server/cli.js', 'serve', '--as-of', asOf];
  const { url, pid, lines, exited, signal } = launchLogbook(environment, program, root);
  const end = watchEnd(exited, lines);
  const askToEnd = (name: 'SIGTERM' | 'SIGKILL'): Promise<number | null> => {
    end.isAsked = true;
    return signal(name);
  };
  return {
    url: await url,
    pid,
    lines,
    get unexpectedEnd() {
      return end.unexpected;
    },
    stop: () => askToEnd('SIGTERM'),
    kill: async () => {
      await askToEnd('SIGKILL');
    },
  };
};

/**
 * Runs `logbook <arguments…>` to its end, as an operator would. Not by `tools/logbook.mjs`, which says on standard error that it builds a checkout that was
 * edited, or waits for another process that does, and so puts another program in the place of the one that is tested.
 */
export const runLogbook = async (arguments_: readonly string[], environment: Readonly<Record<string, string>>): Promise<Finished> => {
  const child = spawn(process.execPath, ['--enable-source-maps', 'dist/server/cli.js', ...arguments_], {
    cwd: ROOT,
    env: environmentOf(environment),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  const [code] = await once(child, 'close');
  return { code, ...output };
};
