import { AccessDeniedError, convertToCommandError } from '@eventstore/db-client';
import { EventStoreUnavailable } from '#domain/shared/event-store.js';

/** The server refused an append because the stream is at another revision. Nothing was written. */
export class Conflict extends Error {
  override readonly name = 'Conflict';
  constructor(readonly actual: bigint | 'no-stream') {
    super(`the stream is at ${actual}`);
  }
}

/** Nothing was written, and another attempt would not help. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

/** Nothing was written, because the server is starting or electing. Another attempt may succeed. */
export class NotReady extends Error {
  override readonly name: string = 'NotReady';
}

/** Nothing was sent. Another attempt may succeed on a new connection, whose own retries start with short pauses again. */
export class NotConnected extends NotReady {
  override readonly name = 'NotConnected';
}

/** The request was sent, and no answer came. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/** The server answers a read with an error that would come again, for example missing rights or a position where no record starts. */
export class ReadRefused extends EventStoreUnavailable {}

/** A stored event that Logbook cannot have written. It is never skipped, and another read would not help. */
export class UnreadableEvent extends Error {
  override readonly name = 'UnreadableEvent';
}

/**
 * gRPC codes: unknown (the server's own exceptions), invalid argument, permission denied, failed precondition (a stream deleted for good),
 * unauthenticated.
 */
const FINAL_CODES: readonly unknown[] = [2, 3, 7, 9, 16];

/** Whether a failed read would fail again. Outages, elections and calls that were cut off would not. */
export const isFinal = (error: unknown): boolean => {
  if (error instanceof AccessDeniedError || error instanceof UnreadableEvent) return true;
  return error instanceof Error && 'code' in error && FINAL_CODES.includes(error.code);
};

/** Converts bare gRPC errors to the client's error classes, by their `details`. Other errors stay as they are. */
export const asCommandError = (error: unknown): unknown =>
  error instanceof Error && 'details' in error ? convertToCommandError(error) : error;
