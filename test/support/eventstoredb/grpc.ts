import { constants, type IncomingHttpHeaders, type OutgoingHttpHeaders, type ServerHttp2Stream } from 'node:http2';

/** How a call ends: the gRPC code, its text and the text trailers beside them. */
export type RpcStatus = Readonly<{ code: number; details: string; trailers?: Readonly<Record<string, string>> }>;

/** Thrown (or passed to `end`) by a handler to end its call with this status. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  constructor(readonly status: RpcStatus) {
    super(status.details);
  }
}

/** What a handler does with its call. Each member is called in the order things arrive; `closed` once, however the call ended. */
type CallListener = Readonly<{
  message(bytes: Uint8Array): void;
  drained?(): void;
  closed?(): void;
}>;

export type Handler = (call: RpcCall) => CallListener;

/** Anything the generated classes make. */
export type Serializable = { serializeBinary(): Uint8Array };

const PREFIX_BYTES = 5;
/** Kestrel's limit for one received message, as the real server is configured. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
const OK: RpcStatus = { code: 0, details: '' };

/** One message as it stands in the body of a call: a flag byte (not compressed), the length, the bytes. */
export const frame = (message: Serializable): Buffer => {
  const bytes = message.serializeBinary();
  const framed = Buffer.allocUnsafe(PREFIX_BYTES + bytes.length);
  framed[0] = 0;
  framed.writeUInt32BE(bytes.length, 1);
  framed.set(bytes, PREFIX_BYTES);
  return framed;
};

/**
 * One gRPC call on the server's side. Written on node:http2 rather than on the server of @grpc/grpc-js, which cannot send what the real
 * server sends: its content type, a call that ends without a status, everything in one header block.
 */
export class RpcCall {
  private responded = false;
  private hasEnded = false;

  constructor(
    private readonly stream: ServerHttp2Stream,
    readonly headers: IncomingHttpHeaders,
  ) {}

  get ended(): boolean {
    return this.hasEnded || this.stream.destroyed;
  }

  /** Sends framed messages. False: the connection is full, wait for `drained` before sending more. */
  write(framed: Buffer): boolean {
    if (this.ended) return true;
    this.respond();
    return this.stream.write(framed);
  }

  /** Ends the call. What was written before still arrives. A second end is ignored. */
  end(status: RpcStatus = OK): void {
    if (this.ended) return;
    this.hasEnded = true;
    const trailers = statusHeaders(status);
    if (this.responded) {
      this.stream.once('wantTrailers', () => this.stream.sendTrailers(trailers));
      this.stream.end();
    } else {
      this.stream.respond({ ...responseHeaders, 'content-length': '0', ...trailers }, { endStream: true });
    }
  }

  /** Ends the call without any gRPC status, as a server that is stopped does (the client reports code 13). */
  endWithoutStatus(): void {
    if (this.ended) return;
    this.respond();
    this.hasEnded = true;
    this.stream.close(constants.NGHTTP2_NO_ERROR);
  }

  private respond(): void {
    if (this.responded) return;
    this.responded = true;
    this.stream.respond(responseHeaders, { waitForTrailers: true });
  }
}

const responseHeaders: OutgoingHttpHeaders = { ':status': 200, 'content-type': 'application/grpc', server: 'Kestrel' };

const statusHeaders = ({ code, details, trailers = {} }: RpcStatus): OutgoingHttpHeaders => ({
  'grpc-status': String(code),
  ...(details === '' ? {} : { 'grpc-message': percentEncoded(details) }),
  ...Object.fromEntries(Object.entries(trailers).map(([name, value]) => [name, percentEncoded(value)])),
});

/** Headers hold printable ASCII; the rest as gRPC writes it in `grpc-message`. */
const percentEncoded = (text: string): string => text.replace(/[^ -$&-~]/gu, (character) => encodeURIComponent(character));

const toStatus = (error: unknown): RpcStatus =>
  error instanceof RpcError ? error.status : { code: 2, details: 'Exception was thrown by handler.' };

/** Runs `handler` for one HTTP/2 stream; whatever it throws becomes the status of the call. Returns the call. */
export const serveCall = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, handler: Handler): RpcCall => {
  const call = new RpcCall(stream, headers);
  const guarded = (step: () => void): void => {
    try {
      step();
    } catch (error) {
      call.end(toStatus(error));
    }
  };
  // A reset by the client is an ordinary end of a call; `close` follows.
  stream.on('error', () => {});
  guarded(() => {
    const listener = handler(call);
    const split = messageSplitter((bytes) => !call.ended && listener.message(bytes));
    stream.on('data', (chunk: Buffer) => guarded(() => split(chunk)));
    stream.on('drain', () => guarded(() => listener.drained?.()));
    stream.on('close', () => listener.closed?.());
  });
  return call;
};

/** Cuts the body of a call into its messages, which may be spread over chunks or share one. */
const messageSplitter = (onMessage: (bytes: Uint8Array) => void): ((chunk: Buffer) => void) => {
  let chunks: Buffer[] = [];
  let size = 0;
  let needed = PREFIX_BYTES;
  return (chunk) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size < needed) return;
    let rest = chunks.length === 1 ? chunk : Buffer.concat(chunks);
    needed = PREFIX_BYTES;
    while (rest.length >= PREFIX_BYTES) {
      const length = rest.readUInt32BE(1);
      if (length > MAX_MESSAGE_BYTES) {
        throw new RpcError({ code: 8, details: 'Received message exceeds the maximum configured message size.' });
      }
      needed = PREFIX_BYTES + length;
      if (rest.length < needed) break;
      onMessage(rest.subarray(PREFIX_BYTES, needed));
      rest = rest.subarray(needed);
      needed = PREFIX_BYTES;
    }
    chunks = rest.length > 0 ? [rest] : [];
    size = rest.length;
  };
};
