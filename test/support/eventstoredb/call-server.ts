import {
  createSecureServer,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { Certificate } from './certificate.js';
import { type Handler, type RpcCall, RpcError, serveCall } from './grpc.js';

const MAX_CONCURRENT_CALLS = 100;
const RECEIVE_WINDOW_BYTES = 4 * 1024 * 1024;

/** The HTTP/2 listener behind the link: finds the handler of each call and knows the open ones. */
export class CallServer {
  private readonly server: Http2Server;
  private readonly sessions = new Set<ServerHttp2Session>();
  private readonly calls = new Set<RpcCall>();

  constructor(
    private readonly routes: ReadonlyMap<string, Handler>,
    certificate: Certificate | undefined,
  ) {
    const settings = { maxConcurrentStreams: MAX_CONCURRENT_CALLS, initialWindowSize: RECEIVE_WINDOW_BYTES };
    // Node would refuse calls while what cancelled ones were sent still waits; a real server does not.
    const options = { settings, maxSessionMemory: Number.MAX_SAFE_INTEGER };
    this.server = certificate ? createSecureServer({ ...options, cert: certificate.cert, key: certificate.key }) : createServer(options);
    this.server.on('session', (session: ServerHttp2Session) => this.track(session));
    this.server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => this.serve(stream, headers));
    // A connection cut by the link.
    this.server.on('sessionError', () => {});
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    for (const session of this.sessions) session.destroy();
    await closed;
  }

  endWithoutStatus(): void {
    for (const call of this.calls) call.endWithoutStatus();
  }

  private track(session: ServerHttp2Session): void {
    this.sessions.add(session);
    session.setLocalWindowSize(RECEIVE_WINDOW_BYTES);
    session.on('close', () => this.sessions.delete(session));
  }

  private serve(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    const call = serveCall(stream, headers, this.routes.get(headers[':path'] ?? '') ?? unimplemented);
    this.calls.add(call);
    stream.on('close', () => this.calls.delete(call));
  }
}

const unimplemented: Handler = () => {
  throw new RpcError({ code: 12, details: 'Service is unimplemented.' });
};
