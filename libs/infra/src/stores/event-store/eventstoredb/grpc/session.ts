import { type ClientHttp2Session, connect, type OutgoingHttpHeaders } from 'node:http2';
import { type CallListener, type Endpoint, GrpcCall, unavailable } from './call.js';

/** TLS material beyond the machine's defaults: contents of PEM files. */
type Certificates = Readonly<{ ca?: Buffer; cert?: Buffer; key?: Buffer }>;

/** `secure`: certificates for TLS; absent: no TLS. */
export type SessionOptions = Readonly<{
  secure?: Certificates | undefined;
  /** Sent with every call. */
  headers: Readonly<Record<string, string>>;
  /** Milliseconds between pings; negative: never. */
  keepAliveMs: number;
  /** Milliseconds without an answer to a ping after which all calls end. */
  keepAliveTimeoutMs: number;
}>;

/**
 * Bytes that the server may send before it waits for us, per call and for all calls. Small windows reduce throughput, and the server drops
 * live subscriptions that it cannot write to.
 */
const CALL_WINDOW = 16 * 1024 * 1024;
const SESSION_WINDOW = 64 * 1024 * 1024;
const MAX_FRAME = 1024 * 1024;

/** One connection to one node. It connects at once. Once closed, it cannot be used again. */
export class GrpcSession {
  private readonly session: ClientHttp2Session;
  private readonly calls = new Set<GrpcCall>();
  private readonly keepAlive: NodeJS.Timeout | undefined;
  private hasAnswered = false;
  private reason: unknown;

  /** @param closed called once the connection is closed, whatever the reason */
  constructor(
    { host, port }: Endpoint,
    private readonly options: SessionOptions,
    closed: () => void = () => undefined,
  ) {
    const { secure, keepAliveMs } = options;
    const authority = `${secure ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
    this.session = connect(authority, {
      ...secure,
      settings: { enablePush: false, initialWindowSize: CALL_WINDOW, maxFrameSize: MAX_FRAME },
      maxSessionMemory: Number.MAX_SAFE_INTEGER, // otherwise Node refuses calls while large answers wait
    });
    this.session.on('error', (error) => {
      this.reason = error;
    });
    this.session.once('connect', () => {
      if (!this.session.destroyed) this.session.setLocalWindowSize(SESSION_WINDOW); // it may have been closed meanwhile
    });
    this.session.once('remoteSettings', () => {
      this.hasAnswered = true;
    });
    this.session.once('close', () => {
      clearInterval(this.keepAlive);
      closed();
    });
    if (keepAliveMs < 0) return;
    this.keepAlive = setInterval(() => this.ping(), keepAliveMs);
    this.keepAlive.unref();
  }

  /** Returns whether new calls can be made. */
  get isUsable(): boolean {
    return !this.session.closed && !this.session.destroyed;
  }

  /** Waits for the first answer of the server. @throws CallFailed no answer within `ms` */
  async ready(ms: number): Promise<void> {
    if (this.hasAnswered) return;
    const { session } = this;
    await new Promise<void>((resolve, reject) => {
      const settle = (how: () => void) => {
        clearTimeout(timer);
        session.off('remoteSettings', answered);
        session.off('close', closed);
        how();
      };
      const answered = () => settle(resolve);
      const closed = () => settle(() => reject(unavailable('no connection', this.reason)));
      const timer = setTimeout(() => settle(() => reject(unavailable('no connection in time', this.reason))), ms);
      session.once('remoteSettings', answered);
      session.once('close', closed);
      if (session.destroyed) closed();
    });
  }

  /** Starts a call. A missing connection is reported when the call ends. */
  call(path: string, listener: CallListener): GrpcCall {
    const headers: OutgoingHttpHeaders = { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' };
    if (!this.isUsable) throw unavailable('the connection is closed', this.reason);
    const stream = this.session.request({ ...headers, ...this.options.headers });
    const call = new GrpcCall(stream, listener);
    this.calls.add(call);
    stream.once('close', () => this.calls.delete(call));
    return call;
  }

  /** Refuses new calls, and closes the connection after the last one. */
  retire(): void {
    if (!this.session.closed) this.session.close();
  }

  /** Ends all calls. Resolves once the connection is closed. */
  async end(): Promise<void> {
    for (const call of [...this.calls]) call.fail(unavailable('the connection was given up'));
    if (this.session.destroyed) return;
    const closed = new Promise<void>((resolve) => this.session.once('close', resolve));
    this.session.destroy();
    await closed;
  }

  private ping(): void {
    const { session } = this;
    if (session.connecting || session.destroyed || this.calls.size === 0) return;
    const timer = setTimeout(() => session.destroy(new Error('no answer to a ping')), this.options.keepAliveTimeoutMs);
    const sent = session.ping(() => clearTimeout(timer));
    if (!sent) clearTimeout(timer);
  }
}
