import { EventStoreUnavailable } from '#domain/shared/event-store.js';
import { CallFailed, GrpcCode } from './grpc/call.js';

/** The server refused an append because the stream is at another revision. Nothing was written. */
export class Conflict extends Error {
  override readonly name = 'Conflict';
  constructor(readonly actual: bigint | 'no-stream') {
    super(`the stream is at ${actual}`);
  }
}

/** Nothing was written, and another attempt would not help. */
export class CallRefused extends Error {
  override readonly name = 'CallRefused';
}

/** Nothing was written, because the server is starting or electing. Another attempt may succeed. */
export class NotReady extends Error {
  override readonly name: string = 'NotReady';
}

/** Nothing was sent. Another attempt may succeed on a new connection. */
export class NotConnected extends NotReady {
  override readonly name = 'NotConnected';
}

/** The request was sent, and no answer came. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/** The server answers a read with an error that would come again, for example missing rights or a position where no record starts. */
export class ReadRefused extends EventStoreUnavailable {}

/** The server's own exceptions, a bad argument, missing rights, a stream deleted for good, wrong credentials. */
const FINAL_CODES: readonly number[] = [
  GrpcCode.unknown,
  GrpcCode.invalidArgument,
  GrpcCode.permissionDenied,
  GrpcCode.failedPrecondition,
  GrpcCode.unauthenticated,
];

/** Whether a failed read would fail again. Outages, elections and calls that were cut off would not. */
export const isFinal = (error: unknown): boolean => error instanceof CallFailed && FINAL_CODES.includes(error.code);

/** Whether the server failed with an exception of its own: for a position where no record starts, and now and then without a cause of ours. */
export const isServersOwn = (error: unknown): boolean => error instanceof CallFailed && error.code === GrpcCode.unknown;

/** Whether the server refused the credentials, or what they may do. */
export const isDenied = (error: unknown): boolean =>
  error instanceof CallFailed && (error.code === GrpcCode.permissionDenied || error.code === GrpcCode.unauthenticated);

/** Whether further calls to the node that failed so are of no use: it is gone, not ready, or not the leader. */
export const isOfNode = (error: unknown): error is CallFailed =>
  error instanceof CallFailed && (error.code === GrpcCode.unavailable || error.code === GrpcCode.cancelled || error.leader !== undefined);
