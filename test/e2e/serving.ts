import { afterAll, afterEach, beforeAll, expect } from '@jest/globals';
import { type Deployment, OPERATOR } from '#test/support/deployments.js';
import { untilReady } from '#test/support/eventually.js';
import { changeLog, type Planted, plant } from '#test/support/plant.js';
import { type LogbookProcess, startLogbook } from '#test/support/processes/logbook-process.js';
import { startServer } from '#test/support/server-host/hosted-server.js';
import { type HttpClient, httpClient, statusClient } from '#test/support/status-client.js';

/** The server that the tests of a suite share. Read its members inside of tests: a restart changes them. */
export type Serving = Readonly<{
  deployment: Deployment;
  server: LogbookProcess;
  /** Relative to `/api/v2`. */
  status: HttpClient;
  /** Relative to the server's root. */
  root: HttpClient;
  /** SIGTERM and a new server on the same stores, which may be changed in between; resolves with the exit code of the old one. */
  restart(between?: () => Promise<unknown>): Promise<number | null>;
  /** Appends events past all rules. With an embedded log it is another server after that, at the same address. */
  plant(...events: readonly Planted[]): Promise<void>;
  /** Another change of the log, likewise. */
  changeLog(change: () => Promise<unknown>): Promise<void>;
  /** SIGKILL and a new server on the same stores. */
  crash(): Promise<void>;
}>;

/** Suites of one service look at the present only: recording its history beside every test costs processor time. */
const presentOnly = (): Readonly<Record<string, string>> =>
  /\/e2e\/(messaging|accounting|status|http)\//.test(expect.getState().testPath ?? '') ? { LOGBOOK_HISTORY: 'off' } : {};

type Open = () => Promise<Deployment>;
type Environment = Readonly<Record<string, string>>;

/**
 * Stores and a server for the suite it is called in: started before its tests, gone after them. It shares a process with those of other
 * suites.
 */
export const serving = (open: Open, environment: Environment = {}): Serving => serveBy(startServer, open, environment);

/** The same in a process of its own: for suites that look at the process, kill it, or read what it logs. */
export const servingAlone = (open: Open, environment: Environment = {}): Serving => serveBy(startLogbook, open, environment);

const serveBy = (startOne: (environment: Environment) => Promise<LogbookProcess>, open: Open, environment: Environment): Serving => {
  let deployment: Deployment;
  let server: LogbookProcess | undefined;
  const start = async (at: Environment = {}) => {
    server = await startOne({ ...presentOnly(), ...deployment.environment, ...environment, ...at });
    await untilReady(httpClient(server.url));
    return server;
  };
  const change = async (make: () => Promise<unknown>): Promise<void> => {
    server = await changeLog(deployment, running(), start, make);
  };
  const running = (): LogbookProcess => {
    if (!server) throw new Error('no server runs');
    return server;
  };
  beforeAll(async () => {
    deployment = await open();
    await start();
  });
  afterEach(() => {
    const end = server?.unexpectedEnd;
    if (end) throw new Error(end);
  });
  afterAll(async () => {
    await server?.stop();
    await deployment?.dispose();
  });
  return {
    get deployment() {
      return deployment;
    },
    get server() {
      return running();
    },
    get status() {
      return statusClient(running().url);
    },
    get root() {
      return httpClient(running().url);
    },
    restart: async (between) => {
      const code = await running().stop();
      await between?.();
      await start();
      return code;
    },
    plant: (...events) => change(() => plant(deployment, ...events)),
    changeLog: change,
    crash: async () => {
      await running().kill();
      await start();
    },
  };
};

/** Makes an administrator's or operator's key. @throws unless it was made */
export const issueKey = async (
  root: HttpClient,
  service: string,
  role: string,
  name = role,
): Promise<Readonly<{ id: string; key: string }>> => {
  const { status, text, json } = await root.post('/ops/keys', { key: OPERATOR, body: { service, role, name } });
  if (status !== 201) throw new Error(`no key for ${service} ${role}: ${status} ${text}`);
  return json as { id: string; key: string };
};
