import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Server as NetServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Server as TlsServer } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import { isRunning } from '#infra/platform/program/process-origin.js';
import { PEER } from './to-main.js';

/** Queue of connections to be accepted: thousands of consumers return at once after a restart. */
export const BACKLOG = 4_096;

/** The server on which the main process receives requests of its threads. */
export type DoorOfThreads = Readonly<{
  path: string;
  close(): Promise<void>;
}>;

/** Sets the client's address on the request, and whether its connection to the thread is encrypted. */
const unwrap = (request: IncomingMessage, encrypted: boolean): void => {
  const value = request.headers[PEER];
  delete request.headers[PEER];
  Object.defineProperty(request.socket, 'remoteAddress', { value, configurable: true });
  Object.defineProperty(request.socket, 'encrypted', { value: encrypted, configurable: true });
};

/** Limit of the system for paths of sockets (107 bytes and a zero). */
const MOST_BYTES = 107;
const NAME = /^threads\.(\d+)\.\w+\.sock$/;
/** Threads accept headers of 16 KiB, as this server does, and add one. */
const MOST_HEADERS = 32 * 1024;

/** A path for the socket: in the data directory or, if that is too long, in a new directory. Removes files of killed processes. */
const placeOfDoor = async (directory: string): Promise<string> => {
  for (const name of await readdir(directory)) {
    const [, pid] = NAME.exec(name) ?? [];
    if (pid !== undefined && !isRunning(Number(pid))) await rm(join(directory, name), { force: true });
  }
  const path = join(directory, `threads.${process.pid}.${randomUUID().slice(0, 8)}.sock`);
  return Buffer.byteLength(path) <= MOST_BYTES ? path : join(await mkdtemp(join(tmpdir(), 'logbook-')), 'sock');
};

/**
 * Receives requests of threads through a socket that only this user can open. They go to the same server as requests from the network. Only
 * threads end connections: a request that arrives during a close would be lost.
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
