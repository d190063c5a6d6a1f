import type { IncomingMessage, ServerResponse } from 'node:http';
import { JsonScan } from '#api/shared/json/json-scan.js';
import type { Reservation } from './body-budget.js';
import { type BodyLimits, isNdjson } from './body-limits.js';
import { BodyRefused } from './body-refused.js';
import type { ReceivedBody } from './body-shape.js';

/** How fast a body has to come on the average once it took longer than the timeout: bytes a second. */
const SLOWEST = 32 * 1024;

/**
 * What comes of a body after the answer is thrown away: so many bytes, and where the answer ended the connection for so long (seconds, in all and
 * without anything coming). A connection closed over unread bytes is reset, and a client that is still writing never sees the answer.
 */
const READ_AWAY = { atMost: 30, silence: 5, bytes: 128 * 1024 * 1024 };

/** Values are charged to the budget some at a time. */
const VALUES_AT_ONCE = 1_000;

/** The bytes that a request announces; nothing when it does not say how many. */
export const announcedBytes = ({ headers }: IncomingMessage): number | undefined =>
  headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : undefined;

/** Collects chunks in one piece of memory, which need not be put together at the end. */
class Collected {
  private target = Buffer.alloc(0);
  private length = 0;

  constructor(private readonly expected: number | undefined) {}

  add(chunk: Buffer): void {
    const length = this.length + chunk.length;
    if (length > this.target.length) {
      const wider = Buffer.allocUnsafe(Math.max(length, this.expected ?? this.target.length * 2));
      this.target.copy(wider, 0, 0, this.length);
      this.target = wider;
    }
    chunk.copy(this.target, this.length);
    this.length = length;
  }

  get bytes(): Buffer {
    return this.target.subarray(0, this.length);
  }
}

/** A body on its way, from the headers of its request to its last byte, or to the end of the connection. */
export class IncomingBody {
  /** All of it, once it has been read. */
  received: ReceivedBody | undefined;
  private length = 0;
  /** `bytesRead` of the connection. */
  private readonly startedAt: number;
  private reservation: Reservation | undefined;
  /** Values that the reservation counts. */
  private charged = 0;
  /** Seconds since it is read, thrown away, or waited for in vain, and since something came. */
  private seconds = 0;
  private silence = 0;
  /** While it is read: ends that. */
  private fail: ((problem: Error) => void) | undefined;
  /** `bytesRead` at the last look, once the connection is coming to its end. */
  private lingering: number | undefined;

  constructor(
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
    private readonly timeoutSeconds: number,
  ) {
    this.startedAt = request.socket.bytesRead;
  }

  /** From now on an answer that ends the connection does so in a way that a client which is still writing sees the answer. */
  guard(): void {
    const { request } = this;
    const { socket } = request;
    socket.destroySoon = () => {
      Reflect.deleteProperty(socket, 'destroySoon'); // what every socket does
      if (request.complete) socket.destroySoon();
      else this.endAnswer();
    };
  }

  /** It may come, and holds this much of the budget until it is released. */
  admitted(reservation: Reservation): void {
    this.reservation = reservation;
  }

  /** Gives back what it holds of the budget. */
  readonly release = (): void => this.reservation?.release();

  /** Reads all of it, checking it as it comes. `done` is called once; {@link received} is there unless it gets an error. */
  read(limits: BodyLimits, done: (problem?: Error) => void): void {
    const { request } = this;
    const expected = announcedBytes(request);
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
      request.on('error', () => {}).resume(); // the rest is thrown away
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

  /** Called every second. Ends what is too slow; `true` when there is nothing more to watch. */
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
      this.seconds = 0; // nobody reads it yet: it is not the client who is slow
    else if (this.seconds >= timeoutSeconds || request.socket.bytesRead - this.startedAt > READ_AWAY.bytes) request.socket.destroy();
    return false;
  }

  /** Whether the budget has room for more bytes, and for the values seen meanwhile. */
  private hasRoom(bytes: number, scan: JsonScan | undefined, { valueBytes }: BodyLimits): boolean {
    if (!this.reservation) return true;
    const values = (scan?.values ?? 0) - this.charged;
    const due = values < VALUES_AT_ONCE ? 0 : values;
    this.charged += due;
    return this.reservation.grow(bytes + due * valueBytes);
  }

  /** Ends the connection as far as the answer goes, and waits for what still comes. */
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
