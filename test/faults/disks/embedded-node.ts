import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { check } from '#test/faults/checker/check.js';
import type { Call, Violation } from '#test/faults/history.js';
import type { Address } from '#test/faults/workload/client.js';
import { consumers } from '#test/faults/workload/clients.js';
import { finalState, untilReady } from '#test/faults/workload/ending.js';
import { prepare } from '#test/faults/workload/setting.js';
import { ADMIN, OPERATOR, SERVICE_TOKEN, SYSTEM_ADMIN } from '#test/support/deployments.js';
import { type LaunchedLogbook, launchLogbook } from '#test/support/processes/logbook-process.js';

type Environment = Readonly<Record<string, string>>;

/** A server on embedded stores, with everything on. */
export const launchNode = (dataDirectory: string, environment: Environment = {}): LaunchedLogbook =>
  launchLogbook({
    LOGBOOK_MESSAGING_SERVICE_TOKEN: SERVICE_TOKEN,
    LOGBOOK_STATUS_ADMIN_KEY: ADMIN,
    LOGBOOK_ACCOUNTING_ADMIN_TOKEN: SYSTEM_ADMIN,
    LOGBOOK_OPS_KEY: OPERATOR,
    LOGBOOK_DATA_DIR: dataDirectory,
    ...environment,
  });

export const addressAt = (url: string): Address => ({ node: 'node', port: Number(new URL(url).port) });

/** A directory that is removed by the returned function. @param template what is in it. Default: nothing */
export const temporaryData = async (template?: string): Promise<Readonly<{ path: string; remove(): Promise<void> }>> => {
  const folder = await mkdtemp(join(tmpdir(), 'logbook-disks-'));
  const path = join(folder, 'data');
  if (template !== undefined) await cp(template, path, { recursive: true });
  return { path, remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }) };
};

/** Fills an empty directory with what clients of a run find there. */
export const prepareData = async (dataDirectory: string): Promise<void> => {
  const server = launchNode(dataDirectory);
  const address = addressAt(await server.url);
  await untilReady([address]);
  await prepare(address, consumers());
  await server.signal('SIGTERM');
};

/** The reason that a process has left when it ended by itself; `undefined`: none. */
const reasonIn = (lines: readonly string[]): string | undefined => lines.findLast((line) => line.startsWith('{"level":"error"'));

/** LMDB prints these to standard error, without a line end. */
const OF_LMDB = /^(Write error:|mdb_)[^{]*/;

const isLine = (line: string): boolean => line === '' || (line.startsWith('{') && line.endsWith('}'));

/** What a process that ran over a failing disk must not have left. @param code with which it ended by itself, or at SIGTERM */
export const flawsOfProcess = (
  output: readonly string[],
  code: number | null,
  endedBy: NodeJS.Signals | null = null,
): readonly Violation[] => {
  const lines = output.map((line) => line.replace(OF_LMDB, ''));
  const reason = reasonIn(lines);
  const last = lines.slice(-3).join('\n');
  const flaws: Violation[] = [];
  // It kills itself where a thread stands still.
  if (endedBy !== null && endedBy !== 'SIGKILL') flaws.push({ rule: `ended by ${endedBy}`, detail: last, calls: [] });
  else if (code !== 0 && reason === undefined) flaws.push({ rule: 'no reason said', detail: `exit code ${code}: ${last}`, calls: [] });
  const unexpected = lines.find((line) => line.startsWith('{"level":"error"') && line.includes('unexpected error'));
  if (unexpected !== undefined) flaws.push({ rule: 'an unexpected error', detail: unexpected.slice(0, 1_000), calls: [] });
  const odd = lines.find((line) => !isLine(line));
  if (odd !== undefined) flaws.push({ rule: 'no line of JSON', detail: odd.slice(0, 300), calls: [] });
  return flaws;
};

const SHAPES: Readonly<Record<string, RegExp>> = {
  v1: /^\{\s*"error":\s*\{/,
  api: /^\{\s*"(status|errors)":/,
  'accounting-system': /^\{\s*"code":/,
};

/** Errors of the services that are not in their shapes. */
const flawsOfAnswers = (calls: readonly Call[]): readonly Violation[] =>
  calls.flatMap(({ id, answer: { outcome, text, status } }) =>
    outcome === 'done' || outcome === 'lost' || Object.values(SHAPES).some((shape) => shape.test(text))
      ? []
      : [{ rule: 'not the shape of an error', detail: `${status} ${text}`, calls: [id] }],
  );

/**
 * Starts a server on what a failure has left, and compares what it shows with what clients were answered.
 * @param isPrepared whether what clients find there must be there already
 */
export const flawsOfData = async (
  dataDirectory: string,
  calls: readonly Call[],
  { isPrepared = true, environment = {} }: Readonly<{ isPrepared?: boolean; environment?: Environment }> = {},
): Promise<readonly Violation[]> => {
  const server = launchNode(dataDirectory, environment);
  try {
    const url = await server.url.catch((error: Error) => error);
    if (url instanceof Error) return [{ rule: 'does not start', detail: server.lines.slice(-5).join('\n'), calls: [] }];
    const address = addressAt(url);
    if (!isPrepared) {
      await untilReady([address]);
      await prepare(address, consumers());
    }
    const final = await finalState([address], address, calls, () => (server.hasEnded ? server.lines.slice(-3) : []));
    const flaws = [...check(calls, final), ...flawsOfAnswers(calls)];
    const code = await server.signal('SIGTERM');
    return [
      ...flaws,
      ...flawsOfProcess(server.lines, code),
      ...(code === 0 ? [] : [{ rule: 'no orderly end', detail: `${code}`, calls: [] }]),
    ];
  } finally {
    await server.signal('SIGKILL');
  }
};

/** Steps that clients make in one round. */
export const stepsOf = (count: number, hasEnded: () => boolean): (() => boolean) => {
  let left = count;
  return () => left-- <= 0 || hasEnded();
};

/** Text of a file; empty where there is none. */
export const textIn = (file: string): Promise<string> => readFile(file, 'utf8').catch(() => '');
