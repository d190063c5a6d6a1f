import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { assertLiteralWithin, LookUps, type NetworkScope } from './addresses.js';

type Outgoing = Readonly<{
  method: 'GET' | 'POST';
  url: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  /** Owners take turns in looking up names, for which they wait. Default: one for all without, whose wait counts in the time limit. */
  owner?: string;
  /** The exchange fails if there is no answer within this time; the wait of an owner for its turn is not part of it. */
  timeoutMs: number;
  /** Aborts the exchange at once. */
  signal?: AbortSignal;
  /** Reads at most this many bytes of the answer's body. Default 0: the body is not read. */
  maxBodyBytes?: number;
}>;

type Incoming = Readonly<{ status: number; body: Buffer }>;

/** No answer came in time. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  constructor(timeoutMs: number) {
    super(`no answer within ${timeoutMs / 1_000} seconds`);
  }
}

/** Longest wait of an owner for its turn. Leases of messages last a minute, which has to be enough for a delivery behind it. */
const TURN_MS = 20_000;

/** An idle connection that the other side has closed fails within this time. */
const AT_ONCE_MS = 5_000;

const PROCESSING = 102;

/**
 * Sends requests to addresses that callers chose. Redirects are not followed: they are answers like any other. Connections go where `reach` says,
 * whatever a name resolves to, and into the public internet by `https` only.
 */
export class HttpSender {
  private readonly agents = {
    'http:': new HttpAgent({ keepAlive: true, maxFreeSockets: 64 }),
    'https:': new HttpsAgent({ keepAlive: true, maxFreeSockets: 64 }),
  };

  constructor(
    private readonly reach: NetworkScope | 'anywhere',
    private readonly lookUps = new LookUps(reach),
  ) {}

  /**
   * @throws OutOfReach, NoAnswer, the reason of the signal, or the error of the connection; {@link failureText} describes it in words
   */
  async send(outgoing: Outgoing): Promise<Incoming> {
    const url = new URL(outgoing.url);
    if (this.reach === 'public' && url.protocol !== 'https:') throw new Error('only https is allowed');
    if (this.reach !== 'anywhere') assertLiteralWithin(this.reach, url);
    return this.exchange(url, outgoing, true);
  }

  close(): void {
    for (const agent of Object.values(this.agents)) agent.destroy();
  }

  private exchange(url: URL, outgoing: Outgoing, mayRepeat: boolean): Promise<Incoming> {
    const { timeoutMs, maxBodyBytes = 0, body, signal } = outgoing;
    const begun = performance.now();
    const abort = new AbortController();
    const leave = (): void => abort.abort(signal?.reason);
    let timer: NodeJS.Timeout | undefined;
    const limit = (milliseconds: number): void => {
      clearTimeout(timer);
      timer = setTimeout(() => abort.abort(new NoAnswer(milliseconds)), milliseconds);
    };
    limit(timeoutMs);
    signal?.addEventListener('abort', leave);
    if (signal?.aborted) leave();
    return new Promise((resolve, reject) => {
      const request = this.open(url, outgoing, abort.signal, limit);
      let processing = false;
      request.on('information', ({ statusCode }) => {
        processing ||= statusCode === PROCESSING;
      });
      request.on('response', (response) => {
        // From now on the end of the connection fails the body alone.
        request.removeAllListeners('error').on('error', () => undefined);
        resolve(bodyOf(response, maxBodyBytes));
      });
      request.on('error', (error) => {
        // The other side closed an idle connection just as it was used again, so it has not seen this request.
        const isUnseen = request.reusedSocket && !processing && performance.now() - begun < AT_ONCE_MS;
        if (isUnseen && mayRepeat && !abort.signal.aborted) resolve(this.exchange(url, outgoing, false));
        else if (processing && !signal?.aborted) resolve({ status: PROCESSING, body: Buffer.alloc(0) });
        else reject(abort.signal.aborted ? abort.signal.reason : error);
      });
      // Not earlier: an answer's body that nobody waits for is bounded by the same time.
      request.on('close', () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', leave);
        reject(new Error('the connection was closed without an answer')); // after 101 nothing else is emitted
      });
      request.end(body);
    });
  }

  private open(
    url: URL,
    { method, headers, body, owner, timeoutMs }: Outgoing,
    signal: AbortSignal,
    limit: (milliseconds: number) => void,
  ): ClientRequest {
    const turn: LookupFunction = (...call) => {
      if (owner === undefined) return this.lookUps.of('', signal)(...call);
      if (!signal.aborted) limit(TURN_MS);
      this.lookUps.of(owner, signal, () => limit(timeoutMs))(...call);
    };
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const options: RequestOptions = { method, headers: { ...length, ...headers }, signal, lookup: turn };
    if (url.protocol === 'https:') return httpsRequest(url, { ...options, agent: this.agents['https:'] });
    return httpRequest(url, { ...options, agent: this.agents['http:'] });
  }
}

/** The error of an exchange in words. Some errors of Node have only a code. */
export const failureText = (error: unknown): string => {
  if (typeof error !== 'object' || error === null) return String(error);
  const [message, code] = ['message' in error ? error.message : '', 'code' in error ? error.code : ''];
  return String(message || code || 'unknown failure');
};

/** Bytes of an unwanted body that are read so that its connection can be used again. */
const WORTH_A_CONNECTION = 64 * 1024;

const readAway = (response: IncomingMessage): void => {
  let length = 0;
  response
    .on('error', () => undefined)
    .on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > WORTH_A_CONNECTION) response.destroy();
    });
};

/** Status of the answer, and the beginning of its body if wanted. A body longer than `maxBytes` is cut off together with its connection. */
const bodyOf = async (response: IncomingMessage, maxBytes: number): Promise<Incoming> => {
  const status = response.statusCode ?? 0;
  const chunks: Buffer[] = [];
  if (maxBytes === 0) {
    readAway(response);
    return { status, body: Buffer.alloc(0) };
  }
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxBytes) break; // leaving the loop destroys the response
  }
  return { status, body: Buffer.concat(chunks) };
};
