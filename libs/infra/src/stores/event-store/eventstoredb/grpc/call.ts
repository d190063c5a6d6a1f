import { type ClientHttp2Stream, constants, type IncomingHttpHeaders } from 'node:http2';
import { Deframer } from './frames.js';

/** gRPC status codes used here. */
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

/** A call ended with a status other than success, or without a status. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';
  constructor(
    readonly code: number,
    message: string,
    /** Address of the leader, if the called node is not the leader. */
    readonly leader?: Endpoint,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export type CallListener = Readonly<{
  /** Receives a message, whose memory may be shared. An error thrown here ends the call with that error. */
  message(message: Buffer): void;
  /** Called once, as the last callback. Without an error: the server has finished. */
  ended(error: unknown): void;
}>;

/** One gRPC call on its HTTP/2 stream. */
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
    // The server may finish first: the stream would stay open on our side.
    stream.on('end', () => {
      this.closed();
      this.reset();
    });
    stream.on('close', () => this.closed());
  }

  /** Returns whether the call has ended. */
  get isOver(): boolean {
    return this.over;
  }

  /** Sends a framed message. Messages of one turn of the event loop are sent together. */
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

  /** Sends the last message. */
  sendLast(framed: Buffer): void {
    this.stream.end(framed);
  }

  /** Ends the call at once; the listener gets no further callback. */
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

  /** An error without messages arrives in the headers, otherwise in the trailers. */
  private heard(headers: IncomingHttpHeaders, isResponse: boolean): void {
    const code = headers['grpc-status'];
    if (code !== undefined) this.status = statusOf(Number(code), headers);
    else if (isResponse && Number(headers[':status']) !== 200) this.status = ofHttp(Number(headers[':status']));
  }

  /** Without trailers it is unknown whether the call was complete. */
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

/** Decodes percent-encoded text. */
const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** Converts the HTTP status of a proxy or another server to a failure, as the gRPC specification maps it. */
const ofHttp = (status: number): CallFailed => {
  const codes: Readonly<Record<number, number>> = { 400: GrpcCode.internal, 401: GrpcCode.unauthenticated, 403: GrpcCode.permissionDenied };
  return new CallFailed(codes[status] ?? GrpcCode.unavailable, `HTTP ${status}`);
};
