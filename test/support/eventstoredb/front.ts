import { connect, createServer, type Server, type Socket } from 'node:net';

type Pair = Readonly<{ outer: Socket; inner: Socket }>;

/**
 * The port the clients know. It passes bytes on to the real listener, so that connections can be cut, refused or frozen as a whole:
 * HTTP/2 answers pings by itself, a server that answers nothing at all can only be made below it.
 */
export class Front {
  private readonly server = createServer({ pauseOnConnect: true, noDelay: true }, (socket) => this.accept(socket));
  private readonly pairs = new Set<Pair>();
  private frozen = false;
  private boundPort = 0;

  constructor(private readonly innerPort: number) {}

  get port(): number {
    return this.boundPort;
  }

  /** Listens on a free port the first time, on the same port ever after. */
  async open(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(this.boundPort, '127.0.0.1', () => {
        this.server.off('error', reject);
        resolve();
      });
    });
    this.boundPort = portOf(this.server);
  }

  /** Refuses new connections and cuts the open ones. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    for (const { outer } of this.pairs) cut(outer);
    await closed;
  }

  freeze(): void {
    this.frozen = true;
    for (const pair of this.pairs) {
      pair.outer.unpipe().pause();
      pair.inner.unpipe().pause();
    }
  }

  thaw(): void {
    if (!this.frozen) return;
    this.frozen = false;
    for (const pair of this.pairs) join(pair);
  }

  private accept(outer: Socket): void {
    const pair: Pair = { outer, inner: connect({ port: this.innerPort, host: '127.0.0.1', noDelay: true }) };
    this.pairs.add(pair);
    for (const [one, other] of [
      [pair.outer, pair.inner],
      [pair.inner, pair.outer],
    ] as const) {
      // An error is followed by `close`, which is all that matters here.
      one.on('error', () => {});
      one.on('close', () => {
        other.destroy();
        this.pairs.delete(pair);
      });
    }
    if (!this.frozen) join(pair);
  }
}

/** The port a server listens on. */
export const portOf = (server: Server): number => {
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('not listening');
  return address.port;
};

/** By a reset. Node never frees a socket that is reset while it ends. */
const cut = (socket: Socket): void => {
  if (socket.readyState === 'open') socket.resetAndDestroy();
  else socket.destroy();
};

const join = ({ outer, inner }: Pair): void => {
  outer.pipe(inner);
  inner.pipe(outer);
};
