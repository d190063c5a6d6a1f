import { AccessDeniedError, convertToCommandError } from '@eventstore/db-client';
import { EventStoreUnavailable } from '#domain/shared/event-store.js';

/** The server refused an append because the stream is elsewhere; nothing was written. */
export class Conflict extends Error {
  override readonly name = 'Conflict';
  constructor(readonly actual: bigint | 'no-stream') {
    super(`the stream is at ${actual}`);
  }
}

/** Nothing was written, and trying again would not help. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

/** Nothing was written: the server is starting or electing. Worth another try. */
export class NotReady extends Error {
  override readonly name: string = 'NotReady';
}

/** Nothing was sent. Worth another try, on a connection that has not begun to wait longer and longer between its own tries. */
export class NotConnected extends NotReady {
  override readonly name = 'NotConnected';
}

/** The request went out and no answer came. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/** The server answers a read with an error that would come again, such as rights or a position where no record starts. */
export class ReadRefused extends EventStoreUnavailable {}

/** A stored event that Logbook cannot have written. It is never skipped, and reading again would not help. */
export class UnreadableEvent extends Error {
  override readonly name = 'UnreadableEvent';
}

/**
 * gRPC: unknown (what the server calls its own exceptions), invalid argument, permission denied, failed precondition (a stream deleted for good),
 * unauthenticated.
 */
const FINAL_CODES: readonly unknown[] = [2, 3, 7, 9, 16];

/** A failed read that would fail again, in contrast to outages, elections and calls that were cut off. */
export const isFinal = (error: unknown): boolean => {
  if (error instanceof AccessDeniedError || error instanceof UnreadableEvent) return true;
  return error instanceof Error && 'code' in error && FINAL_CODES.includes(error.code);
};

/** The client's error classes in place of bare gRPC errors, which it tells apart by their `details`. Other errors stay as they are. */
export const asCommandError = (error: unknown): unknown =>
  error instanceof Error && 'details' in error ? convertToCommandError(error) : error;
