import { Agent, request as ask, type IncomingMessage, type RequestOptions, type ServerResponse } from 'node:http';
import { request as askSecurely, Agent as SecureAgent } from 'node:https';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { CannotServePast } from '#api/as-of/point-to-serve.js';
import { documentsPath } from '#api/runtime/installation.js';
import { AS_OF, type AsOf, asOfIn } from '#api/shared/as-of/as-of-header.js';
import { peerOptionsOf, readCertificate } from '#api/shared/http/tls/key-pair.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import { isLocked } from '#infra/platform/lmdb/lock.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { serverAddress } from './server-address.js';
import { listenSimply, WaitingAnswers } from './start/waiting-server.js';
import { isTerminal } from './start/where-to-go.js';

/** Returns whether another process has embedded files open that a server of a point in time would read. */
export const isServed = ({ dataDirectory, eventStoreUrl, redisUrl, history }: Configuration): boolean =>
  (eventStoreUrl === undefined && isLocked(join(dataDirectory, 'log'))) ||
  ((redisUrl === undefined || history) && isLocked(documentsPath(dataDirectory)));

/** The only reads that use POST. */
const SEARCH = /^\/accounting-system\/[^?]*\/search(?:\?|$)/;
const CONSOLE = /^\/console(?:[/?]|$)/;
const NOWHERE = '/nowhere';
/** An instant that every server refuses, in the error shape of the service. */
const LATER = '9999-12-31T23:59:59Z';
/** A method of no route: the server answers 405 in the error shape of the service. */
const NO_METHOD = 'TRACE';
const READS = ['GET', 'HEAD', 'OPTIONS'];
const OF_CONNECTION = ['connection', 'keep-alive', 'proxy-connection', 'upgrade', 'transfer-encoding', 'te', 'trailer', 'host', 'expect'];

const AWAY = 'no server answers for this data directory';

/** Without the header, a read is as of `text`. A header that lies later is refused. */
class Point {
  private readonly asOf: AsOf;

  /** @throws CannotServePast */
  constructor(private readonly text: string) {
    const asOf = asOfIn(text);
    if (!asOf) throw new CannotServePast('--as-of is neither an instant such as 2024-01-15T12:00:00Z nor a position of the log');
    if (asOf.kind === 'instant' && asOf.milliseconds > Date.now()) throw new CannotServePast('--as-of is an instant in the future');
    this.asOf = asOf;
  }

  /** Value of the header to ask with. */
  valueFor(given: string | readonly string[] | undefined): string | readonly string[] {
    const asOf = asOfIn(given);
    return given === undefined ? this.text : asOf && this.isBefore(asOf) ? LATER : given;
  }

  /** Returns whether an answer shows a later state. */
  isExceededBy({ headers }: IncomingMessage): boolean {
    const [position, time] = [headers[AS_OF], headers[`${AS_OF}-time`]].map(String);
    const shown = asOfIn(this.asOf.kind === 'position' ? position : time);
    return shown !== undefined && this.isBefore(shown);
  }

  private isBefore(other: AsOf): boolean {
    const { asOf } = this;
    if (asOf.kind === 'position') return other.kind === 'position' && other.position > asOf.position;
    return other.kind === 'instant' && other.milliseconds > asOf.milliseconds;
  }
}

/**
 * A server of a point in time beside the one that has the embedded files open: it asks that one, with the header `Logbook-As-Of`, and passes
 * on no writes.
 * @returns the exit code, after the signal
 * @throws CannotServePast, CannotListen
 */
export const servePastOfServer = async (
  configuration: Configuration,
  asOf: string,
  { signalled, logger, output }: Readonly<{ signalled: Promise<string>; logger: Logger; output: NodeJS.WritableStream }>,
): Promise<number> => {
  const proxy = new PastProxy(configuration, new Point(asOf), await optionsFor(configuration));
  const { port, close } = await listenSimply(configuration, proxy.answer);
  const { host, tls } = configuration;
  const url = `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
  if (isTerminal(output)) output.write(`Logbook serves ${url} as of ${asOf}, by the server of ${configuration.dataDirectory}\n`);
  else logger.info({ url, asOf }, 'listening');
  logger.info({ signal: await signalled }, 'shutting down');
  await close();
  return 0;
};

const optionsFor = async ({ tls }: Configuration): Promise<Pick<RequestOptions, 'agent'>> => ({
  agent: tls ? new SecureAgent({ keepAlive: true, ...peerOptionsOf(await readCertificate(tls)) }) : new Agent({ keepAlive: true }),
});

class PastProxy {
  private readonly away = new WaitingAnswers(() => AWAY);

  constructor(
    private readonly configuration: Configuration,
    private readonly point: Point,
    private readonly options: Pick<RequestOptions, 'agent'>,
  ) {}

  readonly answer = (request: IncomingMessage, response: ServerResponse): void => {
    const { method = 'GET', url = '/', headers } = request;
    if (!READS.includes(method) && !(method === 'POST' && SEARCH.test(url)))
      this.pass(request, response, { method: NO_METHOD }, (answer) => ({ ...answer.headers, allow: 'GET' }));
    else if (CONSOLE.test(url)) this.pass(request, response, { path: NOWHERE });
    else if (method === 'OPTIONS') this.pass(request, response, {});
    else this.pass(request, response, { asOf: this.point.valueFor(headers[AS_OF]) }); // other paths than those of services and some of /audit ignore it
  };

  /** @param headersOf those of the answer. Default: as they come */
  private pass(
    request: IncomingMessage,
    response: ServerResponse,
    { method = request.method, path = request.url, asOf }: Readonly<{ method?: string; path?: string; asOf?: string | readonly string[] }>,
    headersOf = ({ headers }: IncomingMessage): NodeJS.Dict<string | string[]> => headers,
  ): void {
    const { dataDirectory } = this.configuration;
    const address = serverAddress(dataDirectory, 'history') ?? serverAddress(dataDirectory, 'api');
    if (address === undefined) {
      this.away.send(request, response);
      return;
    }
    const hasBody = method === 'POST' && asOf !== LATER;
    const headers = withoutConnection({ ...request.headers, ...(asOf !== undefined && { [AS_OF]: [...[asOf].flat()] }) }, hasBody);
    const send = address.startsWith('https:') ? askSecurely : ask;
    const asked = send(address, { ...this.options, method, path, headers });
    asked.once('response', (answer) => {
      if (asOf !== undefined && asOf !== LATER && this.point.isExceededBy(answer)) {
        answer.resume();
        this.pass(request, response, { asOf: LATER });
        return;
      }
      response.writeHead(answer.statusCode ?? 500, withoutConnection(headersOf(answer), true));
      pipeline(answer, response, () => {}); // an answer that is cut off is also cut off for the client
    });
    asked.once('error', () => {
      if (response.headersSent) response.destroy();
      else this.away.send(request, response);
    });
    response.once('close', () => asked.destroy());
    if (hasBody) request.pipe(asked);
    else asked.end();
  }
}

const withoutConnection = (headers: NodeJS.Dict<string | string[]>, hasBody: boolean): NodeJS.Dict<string | string[]> =>
  Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) => !OF_CONNECTION.includes(name) && (hasBody || !['content-length', 'content-type'].includes(name)),
    ),
  );
