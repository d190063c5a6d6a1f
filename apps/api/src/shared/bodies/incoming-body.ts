import type { IncomingMessage, ServerResponse } from 'node:http';
import { JsonScan } from '#api/shared/json/json-scan.js';
import type { Reservation } from './body-budget.js';
import { type BodyLimits, isNdjson } from './body-limits.js';
import { BodyRefused } from './body-refused.js';
import type { ReceivedBody } from './body-shape.js';

/** Minimum average speed of a body after the timeout: bytes per second. */
const SLOWEST = 32 * 1024;

/**
 * The rest of a body that arrives after the answer is read and discarded: at most `bytes`, and, if the answer ends the connection, for at
 * most these times in seconds (in all, and without data). Closing a connection with unread bytes resets it, and a client that is still
 * writing would never see the answer.
 */
const READ_AWAY = { atMost: 30, silence: 5, bytes: 128 * 1024 * 1024 };

/** Values are charged to the budget in groups of this size. */
const VALUES_AT_ONCE = 1_000;

/** Length of the body according to the headers; `undefined` if it is not given. */
export const announcedBytes = ({ headers }: IncomingMessage): number | undefined =>
  headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : undefined;

const NOTHING = Buffer.alloc(0);

/** Collects chunks in one buffer, so that they need not be joined at the end. A single chunk is used as it is. */
class Collected {
  private target: Buffer = NOTHING;
  private length = 0;

  constructor(private readonly expected: number | undefined) {}

  add(chunk: Buffer): void {
    const length = this.length + chunk.length;
    if (chunk.length === this.expected) this.target = chunk;
    else {
      if (length > this.target.length) {
        const wider = Buffer.allocUnsafe(Math.max(length, this.expected ?? this.target.length * 2));
        this.target.copy(wider, 0, 0, this.length);
        this.target = wider;
      }
      chunk.copy(this.target, this.length);
    }
    this.length = length;
  }

  get bytes(): Buffer {
    return this.length === this.target.length ? this.target : this.target.subarray(0, this.length);
  }
}

/** Refers to a body while it needs ticks. A set of the bodies themselves would keep their requests alive in its outgrown tables. */
export type Watch = { body: IncomingBody | undefined };

/** An incoming body, from the headers of its request to its last byte or to the end of the connection. */
export class IncomingBody {
  readonly watch: Watch = { body: this };
  /** The whole body, once it has been read. */
  received: ReceivedBody | undefined;
  private length = 0;
  /** `bytesRead` of the connection at the start of the body. */
  private readonly startedAt: number;
  /** True if the answer leaves the connection open. The client may have requested otherwise, and a draining server closes it. */
  private readonly keepsAlive: boolean;
  private reservation: Reservation | undefined;
  private isHandled = false;
  private isReserved = true;
  /** Values that have been charged to the reservation. */
  private charged = 0;
  /** Seconds since the body has been read, discarded or awaited, and seconds since the last data. */
  private seconds = 0;
  private silence = 0;
  /** Fails the read; set while the body is read. */
  private fail: ((problem: Error) => void) | undefined;
  /** `bytesRead` at the last tick; set while the connection is being closed. */
  private lingering: number | undefined;

  constructor(
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
    private readonly timeoutSeconds: number,
  ) {
    this.startedAt = request.socket.bytesRead;
    this.keepsAlive = response.shouldKeepAlive;
  }

  /** From now on an answer that ends the connection is delivered even to a client that is still writing. */
  guard(): void {
    const { request } = this;
    const { socket } = request;
    socket.destroySoon = () => {
      Reflect.deleteProperty(socket, 'destroySoon'); // restores the method of the class
      if (request.complete) socket.destroySoon();
      else this.endAnswer();
    };
  }

  /**
   * Ends the connection with the answer unless the body is admitted. It does not use a header: once a header `Connection` is removed, Node
   * writes none at all, and a client that asked for `close` cannot see that the connection ends.
   */
  endConnection(): void {
    this.response.shouldKeepAlive = false;
  }

  /**
   * Admits the body, with a reservation that it holds until release. Without a handler it is released with the answer or the connection.
   * `isReserved`: for all announced bytes.
   */
  admitted(reservation: Reservation, isReserved: boolean): void {
    const { response } = this;
    this.reservation = reservation;
    this.isReserved = isReserved;
    response.shouldKeepAlive = this.keepsAlive;
    response.once('close', () => this.isHandled || this.release());
    if (response.destroyed) this.release();
  }

  /** Holds the reservation until the handler has ended. */
  heldUntil(handled: Promise<unknown>): void {
    this.isHandled = true;
    handled.then(this.release, this.release);
  }

  readonly release = (): void => this.reservation?.release();

  /** Reads the body and checks it on arrival. Calls `done` once; without an error {@link received} is set. */
  read(limits: BodyLimits, done: (problem?: Error) => void): void {
    const { request } = this;
    const expected = this.isReserved ? announcedBytes(request) : undefined;
    const scan = limits.values > 0 ? new JsonScan(limits, limits.ndjson && isNdjson(request.headers)) : undefined;
    const collected = new Collected(expected);
    const onData = (chunk: Buffer): void => {
      this.silence = 0;
      this.length += chunk.length;
      scan?.add(chunk);
      const excess = this.length > limits.bytes ? 'bytes' : scan?.excess;
      if (excess) fail(new BodyRefused(excess));
      else if (!this.hasRoom(expected === undefined ? chunk.length : 0, scan, limits)) fail(new BodyRefused('busy'));
      else collected.add(chunk);
    };
    const onEnd = (): void => {
      stop();
      this.received = { bytes: collected.bytes, values: scan?.values ?? 0, ...(scan?.end() ?? { isJson: false, firstEnd: undefined }) };
      done();
    };
    const cutOff = (): void => fail(Object.assign(new Error('the body was cut off'), { statusCode: 400 }));
    const stop = (): void => {
      this.fail = undefined;
      request.off('data', onData).off('end', onEnd).off('error', cutOff).off('close', cutOff);
    };
    const fail = (problem: Error): void => {
      stop();
      request.on('error', () => {}).resume(); // discards the rest
      done(problem);
    };
    if (request.destroyed) {
      cutOff();
      return;
    }
    this.fail = fail;
    this.seconds = 0;
    this.silence = 0;
    request.on('data', onData).on('end', onEnd).on('error', cutOff).on('close', cutOff);
  }

  /** Called every second. Ends a body that is too slow. Returns `true` if the body needs no more ticks. */
  tick(): boolean {
    const { request, response, timeoutSeconds } = this;
    if (request.complete || request.socket.destroyed) return true;
    this.seconds++;
    this.silence++;
    if (this.fail) {
      const tooSlow = this.silence >= timeoutSeconds || this.length < (this.seconds - timeoutSeconds) * SLOWEST;
      if (tooSlow) this.fail(new BodyRefused('slow'));
    } else if (this.lingering !== undefined) this.linger(this.lingering);
    else if (!response.writableEnded)
      this.seconds = 0; // the body is not read yet: the client is not at fault
    else if (this.seconds >= timeoutSeconds || request.socket.bytesRead - this.startedAt > READ_AWAY.bytes) request.socket.destroy();
    return false;
  }

  /** Returns whether the budget has room for more bytes, and for the values since the last call. */
  private hasRoom(bytes: number, scan: JsonScan | undefined, { valueBytes }: BodyLimits): boolean {
    if (!this.reservation) return true;
    const values = (scan?.values ?? 0) - this.charged;
    const due = values < VALUES_AT_ONCE ? 0 : values;
    this.charged += due;
    return this.reservation.grow(bytes + due * valueBytes);
  }

  /** Ends the answer's side of the connection, and discards the rest of the body. */
  private endAnswer(): void {
    const { socket } = this.request;
    this.seconds = 0;
    this.silence = 0;
    this.lingering = socket.bytesRead;
    this.request.once('end', () => socket.destroySoon()).resume();
    socket.end();
  }

  private linger(before: number): void {
    const { socket } = this.request;
    if (socket.bytesRead > before) this.silence = 0;
    this.lingering = socket.bytesRead;
    const isSpent = socket.bytesRead - this.startedAt > READ_AWAY.bytes || this.seconds >= READ_AWAY.atMost;
    if (isSpent || this.silence >= READ_AWAY.silence) socket.destroy();
  }
}
