import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Server as NetServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Server as TlsServer } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import { isRunning } from '#infra/platform/program/is-running.js';
import { PEER } from './to-main.js';

/** Connections that may wait to be accepted: thousands of consumers come back at once after a restart. */
export const BACKLOG = 4_096;

/** The server at which the main process takes requests of its threads. */
export type DoorOfThreads = Readonly<{
  path: string;
  close(): Promise<void>;
}>;

/** Gives the request the address of its client, instead of none, and what its connection to the thread is. */
const unwrap = (request: IncomingMessage, encrypted: boolean): void => {
  const value = request.headers[PEER];
  delete request.headers[PEER];
  Object.defineProperty(request.socket, 'remoteAddress', { value, configurable: true });
  Object.defineProperty(request.socket, 'encrypted', { value: encrypted, configurable: true });
};

/** The system takes no longer paths of sockets (107 bytes and a zero). */
const MOST_BYTES = 107;
const NAME = /^threads\.(\d+)\.\w+\.sock$/;
/** Threads take headers of 16 KiB, as this server does, and add one. */
const MOST_HEADERS = 32 * 1024;

/** A path for the socket: in the data directory, or, where that is too long, in a directory of its own. Removes what killed processes have left. */
const placeOfDoor = async (directory: string): Promise<string> => {
  for (const name of await readdir(directory)) {
    const [, pid] = NAME.exec(name) ?? [];
    if (pid !== undefined && !isRunning(Number(pid))) await rm(join(directory, name), { force: true });
  }
  const path = join(directory, `threads.${process.pid}.${randomUUID().slice(0, 8)}.sock`);
  return Buffer.byteLength(path) <= MOST_BYTES ? path : join(await mkdtemp(join(tmpdir(), 'logbook-')), 'sock');
};

/**
 * Takes what threads hand over, by a socket that only this user can open. Requests go to the very server of this process, as if they had come over the
 * network. Nobody but a thread ends a connection: a request that comes as it is closed would be lost.
 */
export const openDoorOfThreads = async (fastify: FastifyInstance, directory: string): Promise<DoorOfThreads> => {
  const path = await placeOfDoor(directory);
  const encrypted = (fastify.server as NetServer) instanceof TlsServer;
  const server = createServer({
    keepAliveTimeout: 0,
    headersTimeout: 0,
    requestTimeout: 0,
    requireHostHeader: false,
    maxHeaderSize: MOST_HEADERS,
  });
  for (const event of ['request', 'checkContinue'] as const)
    server.on(event, (request: IncomingMessage, response: ServerResponse) => {
      unwrap(request, encrypted);
      fastify.server.emit(event, request, response);
    });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen({ path, backlog: BACKLOG }, resolve));
  return {
    path,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
