import { EventStoreUnavailable } from '#domain/shared/event-store.js';
import { CallFailed, GrpcCode } from './grpc/call.js';

/** The server refused an append because the stream is at another revision. Nothing was written. */
export class Conflict extends Error {
  override readonly name = 'Conflict';
  constructor(readonly actual: bigint | 'no-stream') {
    super(`the stream is at ${actual}`);
  }
}

/** Nothing was written, and a retry would not help. */
export class CallRefused extends Error {
  override readonly name = 'CallRefused';
}

/** The append is larger than the server accepts. */
export class TooLarge extends CallRefused {}

/** Nothing was written, because the server is starting or electing. A retry may succeed. */
export class NotReady extends Error {
  override readonly name: string = 'NotReady';
}

/** Nothing was sent. A retry may succeed on a new connection. */
export class NotConnected extends NotReady {
  override readonly name = 'NotConnected';
}

/** The request was sent, but no answer arrived. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/** The server's error for a read would come again on a retry, for example missing rights or a position where no record starts. */
export class ReadRefused extends EventStoreUnavailable {}

/** Exceptions of the server, bad arguments, missing rights, permanently deleted streams, wrong credentials. */
const FINAL_CODES: readonly number[] = [
  GrpcCode.unknown,
  GrpcCode.invalidArgument,
  GrpcCode.permissionDenied,
  GrpcCode.failedPrecondition,
  GrpcCode.unauthenticated,
];

/** Returns whether a retry of a failed read would fail again. Outages, elections and interrupted calls are temporary. */
export const isFinal = (error: unknown): boolean => error instanceof CallFailed && FINAL_CODES.includes(error.code);

/** Returns whether the server threw an exception: for a position where no record starts, and sometimes without a cause on our side. */
export const isServersOwn = (error: unknown): boolean => error instanceof CallFailed && error.code === GrpcCode.unknown;

/** Returns whether the server refused the credentials or their rights. */
export const isDenied = (error: unknown): boolean =>
  error instanceof CallFailed && (error.code === GrpcCode.permissionDenied || error.code === GrpcCode.unauthenticated);

/** Returns whether further calls to the node are pointless: it is gone, not ready, or not the leader. */
export const isOfNode = (error: unknown): error is CallFailed =>
  error instanceof CallFailed && (error.code === GrpcCode.unavailable || error.code === GrpcCode.cancelled || error.leader !== undefined);
