import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Cleanup } from '#test/support/cleanup.js';
import { embedded, SERVICE_TOKEN } from '#test/support/deployments.js';
import { inWords, type NeighbourReport, watchNeighbour } from '#test/support/neighbours/neighbour.js';
import { startLogbook } from '#test/support/processes/logbook-process.js';

/** An answer without its body: how much of it came, and its beginning; with status 0, why there was none. */
export type Outcome = Readonly<{ status: number; bytes: number; start: string }>;

/** A server with embedded stores that is to be attacked, and a project in it. */
export type MessagingLab = Readonly<{
  server: Readonly<{ url: string; pid: number }>;
  dataDirectory: string;
  /** A call as the service administrator; status 0 when the connection ended without an answer. `path` within the project unless it begins with `/v1`. */
  call(method: string, path: string, body?: Buffer | string | object): Promise<Outcome>;
  /** What a neighbour, who looks at another project, sees while `work` goes on. */
  watched<T>(work: () => Promise<T>): Promise<Readonly<{ result: T; neighbour: NeighbourReport; seconds: number }>>;
}>;

/** Milliseconds for which the neighbour is watched before and after. */
const BESIDES = 500;

const PROJECT = '/v1/projects/attacked';
const NEIGHBOUR = '/v1/projects/quiet';
/** Characters kept of an answer. */
const KEPT = 1_000;

const bytesOf = (body: Buffer | string | object | undefined): Buffer | string => {
  if (body === undefined) return '';
  return typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
};

/** Starts the server. It ends with the cleanup. */
export const messagingLab = async (cleanup: Cleanup, environment: Readonly<Record<string, string>> = {}): Promise<MessagingLab> => {
  const deployment = await embedded();
  cleanup.defer(() => deployment.dispose());
  const server = await startLogbook({ ...deployment.environment, ...environment });
  cleanup.defer(() => server.kill());
  const agent = new Agent({ keepAlive: true });
  cleanup.defer(() => agent.destroy());
  const { hostname, port } = new URL(server.url);
  const call: MessagingLab['call'] = (method, path, body) => {
    const bytes = bytesOf(body);
    const headers = { 'x-api-key': SERVICE_TOKEN, 'content-length': Buffer.byteLength(bytes) };
    return new Promise((resolve) => {
      let [received, start, status] = [0, '', 0];
      const end = () => resolve({ status, bytes: received, start });
      request({ agent, hostname, port, method, path: path.startsWith('/v1') ? path : PROJECT + path, headers }, (incoming) => {
        status = incoming.statusCode ?? 0;
        incoming.on('data', (chunk: Buffer) => {
          if (start.length < KEPT) start = (start + chunk.toString('utf8', 0, KEPT)).slice(0, KEPT);
          received += chunk.length;
        });
        incoming.on('error', end).on('end', end);
      })
        .on('error', (error) => {
          start = error.message;
          end();
        })
        .end(bytes);
    });
  };
  const require = async (method: string, path: string, body?: object): Promise<void> => {
    const { status, start } = await call(method, path, body);
    if (status !== 200) throw new Error(`${method} ${path}: ${status} ${start}`);
  };
  await require('POST', PROJECT, {});
  await require('POST', NEIGHBOUR, {});
  return {
    server,
    dataDirectory: deployment.dataDirectory,
    call,
    watched: async (work) => {
      const neighbour = await watchNeighbour({ url: server.url, pid: server.pid, path: NEIGHBOUR, key: SERVICE_TOKEN });
      await pause(BESIDES);
      const began = performance.now();
      const result = await work();
      const seconds = (performance.now() - began) / 1_000;
      await pause(BESIDES);
      return { result, neighbour: await neighbour.stop(), seconds };
    },
  };
};

/** How often each status was answered, for example `200 x 64`; for 0, why there was no answer. */
export const statusesOf = (outcomes: readonly Outcome[]): string => {
  const counts = new Map<string, number>();
  for (const { status, start } of outcomes) {
    const name = status === 0 ? `0 (${start})` : `${status}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([status, count]) => `${status} x ${count}`).join(', ');
};

export { inWords };
