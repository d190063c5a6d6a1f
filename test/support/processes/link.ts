import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
/** A wire between two parts that can fail; bytes of a connection stay in order, connections do not wait for each other. */
export type Link = Readonly<{
  /** Where to connect, on 127.0.0.1; stays the same. */
  port: number;
  /** Leads connections made from now on to a port; until then they are refused. Default host: 127.0.0.1. */
  leadTo(port: number, host?: string): void;
  /** Number of connections that were not refused. */
  accepted(): number;
  /** Resets every connection. */
  reset(): void;
  /** Whether new connections are turned away. */
  refuse(on: boolean): void;
  /** Whether it listens; if not, every connection is reset. Default true. */
  listen(on: boolean): Promise<void>;
  /** Nothing goes to `there` (the server), to `back` (the client), or either way. */
  hold(direction: Direction | 'both' | 'none'): void;
  /** Each piece comes late by at most so many milliseconds; 0 ends it. */
  delay(upTo: number): void;
  close(): Promise<void>;
}>;

type Direction = 'there' | 'back';

/** One direction of one connection: what has come in and is not sent on yet. */
class Lane {
  private readonly waiting: Buffer[] = [];
  private due = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly from: Socket,
    private readonly to: Socket,
    private readonly isHeld: () => boolean,
    private readonly lateness: () => number,
  ) {
    from.on('data', (piece: Buffer) => this.take(piece));
    to.on('drain', () => from.resume());
    from.on('close', () => clearTimeout(this.timer));
  }

  /** Goes on after a hold has ended. */
  resume(): void {
    if (this.waiting.length > 0 && this.timer === undefined && !this.isHeld()) this.pass();
  }

  private take(piece: Buffer): void {
    const late = this.lateness();
    if (this.waiting.length === 0 && late === 0 && !this.isHeld()) {
      this.send(piece);
      return;
    }
    this.waiting.push(piece);
    // Enough to be a wire that is slow, not a memory without bounds.
    if (this.waiting.length > 64) this.from.pause();
    this.due = Math.max(this.due, performance.now() + late);
    this.timer ??= setTimeout(() => this.pass(), late);
  }

  private pass(): void {
    this.timer = undefined;
    if (this.isHeld()) return;
    const wait = this.due - performance.now();
    if (wait > 1) {
      this.timer = setTimeout(() => this.pass(), wait);
      return;
    }
    for (const piece of this.waiting.splice(0)) this.send(piece);
    this.from.resume();
  }

  private send(piece: Buffer): void {
    if (!this.to.destroyed && !this.to.write(piece)) this.from.pause();
  }
}

/** A reset while a connection is being made or shut down can leave its handle behind for good, and then the process does not end. */
const cutOff = (socket: Socket): void => {
  if (socket.connecting || socket.writableEnded || socket.readableEnded) socket.destroy();
  else socket.resetAndDestroy();
};

/** Opens a wire. `random` decides how late a piece comes. */
export const openLink = async (random?: Readonly<{ between(low: number, high: number): number }>): Promise<Link> => {
  const sockets = new Set<Socket>();
  const lanes = new Set<Lane>();
  const state = { target: { port: 0, host: '' }, accepted: 0, refusing: false, held: 'none' as Direction | 'both' | 'none', upTo: 0 };
  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    // What follows an error is `close`, which is all that matters here.
    return socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
  };
  const lane = (direction: Direction, from: Socket, to: Socket): void => {
    const made = new Lane(
      from,
      to,
      () => state.held === 'both' || state.held === direction,
      () => (state.upTo === 0 ? 0 : (random?.between(0, state.upTo) ?? 0)),
    );
    lanes.add(made);
    from.on('close', () => {
      lanes.delete(made);
      to.destroy();
    });
  };
  const server = createServer({ noDelay: true }, (near) => {
    track(near);
    if (state.refusing || state.target.port === 0) {
      cutOff(near);
      return;
    }
    state.accepted++;
    const far = track(connect({ ...state.target, noDelay: true }));
    lane('there', near, far);
    lane('back', far, near);
  });
  const reset = (): void => {
    for (const socket of sockets) cutOff(socket);
  };
  let port = 0;
  const listen = async (on: boolean): Promise<void> => {
    if (on === server.listening) return;
    const done = once(server, on ? 'listening' : 'close');
    if (on) server.listen(port, '127.0.0.1');
    else server.close();
    if (!on) reset();
    await done;
  };
  await listen(true);
  ({ port } = server.address() as AddressInfo);
  return {
    port,
    leadTo: (to, host = '127.0.0.1') => {
      state.target = { port: to, host };
    },
    accepted: () => state.accepted,
    reset,
    listen,
    refuse: (on) => {
      state.refusing = on;
    },
    hold: (direction) => {
      state.held = direction;
      for (const one of lanes) one.resume();
    },
    delay: (upTo) => {
      state.upTo = upTo;
    },
    close: () => listen(false),
  };
};
