import { Agent, request as askOver, type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BodyIngress } from '#api/shared/bodies/body-ingress.js';
import { announcedBytes } from '#api/shared/bodies/incoming-body.js';

/** Header with the client's address as the thread sees it, because the main process sees only the thread. */
export const PEER = 'logbook-thread-peer';

/** Headers of a single connection, and those that only a thread may send. */
const OF_CONNECTION = new Set(['connection', 'keep-alive', 'proxy-connection', 'upgrade', PEER]);
/** A client of HTTP/1.0 cannot wait for 100, and the main process does not see the version. */
const NOT_OF_1_0 = ['expect'];

/** Alternating names and values, unchanged, without those of the connection. */
const passedOn = (rawHeaders: readonly string[], also: readonly string[] = []): string[] => {
  const headers: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
    const lower = name.toLowerCase();
    if (!OF_CONNECTION.has(lower) && !also.includes(lower)) headers.push(name, value);
  }
  return headers;
};

/** For other methods Node's client sends a chunked body unless the headers state otherwise. */
const WITHOUT_BODY = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']);

/** A body that the main process has admitted: its bytes are counted there. */
const COUNTED_ELSEWHERE = { grow: () => true, release: () => undefined };

/** Passes requests unchanged to the main process of this node, and its answers to the clients. */
export class ToMain {
  private readonly agent = new Agent({ keepAlive: true, maxFreeSockets: 1_024, scheduling: 'lifo' });

  /** @param door path of the socket on which the main process listens for its threads */
  constructor(
    private readonly door: string,
    private readonly bodies: Pick<BodyIngress, 'guard'>,
  ) {}

  /** The reply must not be used afterwards. */
  take(request: FastifyRequest, reply: FastifyReply): void {
    request.handedOver = true;
    reply.hijack();
    this.bodies.guard(request, reply); // keeps the connection usable if the main process refuses the body
    const { raw, incomingBody } = request;
    const response = reply.raw;
    const asked = this.ask(request, response);
    if (!asked) return;
    asked.on('continue', () => {
      incomingBody?.admitted(COUNTED_ELSEWHERE);
      response.writeContinue();
    });
    asked.once('response', (answer) => {
      // If the main process closes the thread's connection, it means that of the client.
      if (answer.headers.connection === 'close') response.shouldKeepAlive = false;
      else incomingBody?.admitted(COUNTED_ELSEWHERE);
      passBack(answer, response, () => leave(raw, asked));
    });
    asked.on('error', () => {
      if (!response.headersSent) response.destroy(); // the main process ends, and this thread with it
    });
    response.once('close', () => {
      if (!response.writableFinished) asked.destroy();
    });
    if (announcedBytes(raw) === 0) asked.end();
    else {
      asked.flushHeaders(); // the body may be waiting for an answer
      raw.once('aborted', () => asked.destroy()).pipe(asked);
    }
  }

  close(): void {
    this.agent.destroy();
  }

  /** `undefined` if Node's client refuses to send a request that its server has accepted; the connection ends. */
  private ask({ raw, method, originalUrl }: FastifyRequest, response: ServerResponse): ClientRequest | undefined {
    const { socket } = raw;
    const headers = passedOn(raw.rawHeaders, raw.httpVersion === '1.0' ? NOT_OF_1_0 : []);
    if (announcedBytes(raw) === 0 && raw.headers['content-length'] === undefined && !WITHOUT_BODY.has(method))
      headers.push('Content-Length', '0');
    headers.push(PEER, `${socket.remoteAddress ?? ''}`);
    try {
      return askOver({ socketPath: this.door, agent: this.agent, method, path: originalUrl, headers, setHost: false });
    } catch {
      response.destroy();
      return undefined;
    }
  }
}

const passBack = (answer: IncomingMessage, response: ServerResponse, done: () => void): void => {
  if (response.destroyed) {
    answer.destroy();
    return;
  }
  response.writeHead(answer.statusCode ?? 500, answer.statusMessage, passedOn(answer.rawHeaders, ['transfer-encoding']));
  pipeline(answer, response, done); // an answer that is cut off is also cut off for the client
};

/** The answer is complete; the rest of the body is discarded. */
const leave = (raw: IncomingMessage, asked: ClientRequest): void => {
  if (asked.writableEnded) return;
  raw.unpipe(asked).resume();
  asked.destroy();
};
