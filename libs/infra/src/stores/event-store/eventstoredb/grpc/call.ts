import { type ClientHttp2Stream, constants, type IncomingHttpHeaders } from 'node:http2';
import { Deframer } from './frames.js';

/** Status codes of gRPC that matter here. */
export const GrpcCode = {
  ok: 0,
  cancelled: 1,
  unknown: 2,
  invalidArgument: 3,
  notFound: 5,
  permissionDenied: 7,
  failedPrecondition: 9,
  aborted: 10,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const;

export type Endpoint = Readonly<{ host: string; port: number }>;

/** A call ended with a status other than success, or without any. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';
  constructor(
    readonly code: number,
    message: string,
    /** Address of the leader: the node that was asked is another. */
    readonly leader?: Endpoint,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export type CallListener = Readonly<{
  /** A message, which may lie in memory that is used for others too. What it throws ends the call with that error. */
  message(message: Buffer): void;
  /** Called once, and nothing after it. Without an error: the server has finished. */
  ended(error: unknown): void;
}>;

/** One call of gRPC on its stream of HTTP/2. */
export class GrpcCall {
  private status: CallFailed | 'ok' | undefined;
  private over = false;
  private corked = false;

  constructor(
    private readonly stream: ClientHttp2Stream,
    private readonly listener: CallListener,
  ) {
    const deframer = new Deframer((message) => {
      if (!this.over) listener.message(message);
    });
    stream.on('response', (headers) => this.heard(headers, true));
    stream.on('trailers', (trailers) => this.heard(trailers as IncomingHttpHeaders, false));
    stream.on('data', (chunk: Buffer) => this.guard(() => deframer.push(chunk)));
    stream.on('error', (error) => this.finish(unavailable('the connection failed', error)));
    // The server may finish before we do: the stream would stay open on our side.
    stream.on('end', () => {
      this.closed();
      this.reset();
    });
    stream.on('close', () => this.closed());
  }

  /** Whether nothing will come of it any more. */
  get isOver(): boolean {
    return this.over;
  }

  /** Sends a framed message. Those of one turn of the event loop go out together. */
  send(framed: Buffer): void {
    if (this.over) return;
    if (!this.corked) {
      this.corked = true;
      this.stream.cork();
      process.nextTick(() => {
        this.corked = false;
        this.stream.uncork();
      });
    }
    this.stream.write(framed);
  }

  /** The last message. */
  sendLast(framed: Buffer): void {
    this.stream.end(framed);
  }

  /** Ends the call at once; the listener is told nothing more. */
  cancel(): void {
    this.over = true;
    this.reset();
  }

  /** Ends the call with an error. */
  fail(error: unknown): void {
    this.finish(error);
    this.reset();
  }

  private reset(): void {
    if (!this.stream.closed) this.stream.close(constants.NGHTTP2_CANCEL);
  }

  private guard(work: () => void): void {
    if (this.over) return;
    try {
      work();
    } catch (error) {
      this.fail(error);
    }
  }

  /** An error without messages comes in the headers, else in the trailers. */
  private heard(headers: IncomingHttpHeaders, isResponse: boolean): void {
    const code = headers['grpc-status'];
    if (code !== undefined) this.status = statusOf(Number(code), headers);
    else if (isResponse && Number(headers[':status']) !== 200) this.status = ofHttp(Number(headers[':status']));
  }

  /** Of a call whose trailers are lost nobody knows whether it was complete. */
  private closed(): void {
    if (this.status === 'ok') this.finish(undefined);
    else this.finish(this.status ?? unavailable(`the call ended without a status, code ${this.stream.rstCode}`));
  }

  private finish(error: unknown): void {
    if (this.over) return;
    this.over = true;
    this.listener.ended(error);
  }
}

export const unavailable = (message: string, cause?: unknown): CallFailed =>
  new CallFailed(GrpcCode.unavailable, message, undefined, { cause });

const statusOf = (code: number, headers: IncomingHttpHeaders): CallFailed | 'ok' => {
  if (code === GrpcCode.ok) return 'ok';
  const message = decoded(String(headers['grpc-message'] ?? ''));
  const { 'leader-endpoint-host': host, 'leader-endpoint-port': port } = headers;
  const leader = headers.exception === 'not-leader' && host ? { host: String(host), port: Number(port) } : undefined;
  return new CallFailed(code, message, leader);
};

/** Texts come in percent encoding. */
const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** Failure by the HTTP status of a proxy or another server, as the gRPC specification maps it. */
const ofHttp = (status: number): CallFailed => {
  const codes: Readonly<Record<number, number>> = { 400: GrpcCode.internal, 401: GrpcCode.unauthenticated, 403: GrpcCode.permissionDenied };
  return new CallFailed(codes[status] ?? GrpcCode.unavailable, `HTTP ${status}`);
};
