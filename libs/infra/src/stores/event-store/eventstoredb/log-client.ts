import type { AppendResult } from '#domain/shared/event-store.js';
import type { Position, Revision } from '#domain/shared/events.js';
import type { Endpoint } from './grpc/call.js';
import type { ReadMessage } from './messages/records.js';
import type { EncodedEvent, ExactExpectation } from './messages/requests.js';

/** A read. `streamNames` is a regular expression that .NET and JavaScript read alike; links stay unresolved. */
export type ReadRequest =
  /** From `from`, inclusive; `undefined`: from the first event, or backwards from the last. `count` is at least 1. */
  | Readonly<{ of: 'stream'; stream: string; from: Revision | undefined; direction: 'forwards' | 'backwards'; count: number }>
  /** The last event of a stream, and its revision also where it has expired or was truncated, if the client can ask for that. */
  | Readonly<{ of: 'last'; stream: string }>
  /** The whole log, with the event at `from` itself; `count` counts those that pass. */
  | Readonly<{ of: 'all'; from: Position; streamNames: string; count: number }>
  /** The newest event of the log, of any kind without `streamNames`. */
  | Readonly<{ of: 'head'; streamNames?: string | undefined }>
  /** All events after `after`, exclusive, until the call ends. */
  | Readonly<{ of: 'live'; after: Position; streamNames: string }>;

export type ReadListener = Readonly<{
  /** An error thrown by it ends the call. */
  message(message: ReadMessage): void;
  /** Called once, and nothing after it. Without an error: the server has finished. With {@link CallFailed}: the server or the connection has failed. */
  ended(error: unknown): void;
}>;

/** A read that is under way. */
export type ReadCall = Readonly<{
  /** Ends it at once; the listener is told nothing more. */
  cancel(): void;
}>;

/** The connection to one node, which is found and connected to with the first call: all that the adapter asks of a client of EventStoreDB. */
export interface LogClient {
  /** A missing stream has no events. @throws NotConnected, CallFailed no node was found, or the connection is closed */
  read(request: ReadRequest, listener: ReadListener): Promise<ReadCall>;

  /**
   * Sends an append once.
   * @throws Conflict, Refused, NotReady nothing was written
   * @throws NotConnected nothing was sent
   * @throws NoAnswer no answer within `answerMs`: the connection is probably dead, replace the client
   * @throws Error anything else: the outcome is unknown
   */
  append(stream: string, events: readonly EncodedEvent[], expected: ExactExpectation, answerMs: number): Promise<AppendResult>;

  /** Calls that are under way go on; the connection is closed after the last. */
  retire(): void;

  /** Ends all calls, and closes the connection. */
  end(): Promise<void>;
}

/**
 * Makes a client, which does not connect yet.
 * @param node to connect to; default: the one of the settings, or the leader of the cluster
 * @param failed called when calls to this node are of no use: it is gone (also while there are no calls), not ready, or not the leader
 */
export type OpenClient = (node: Endpoint | undefined, failed: (client: LogClient, leader: Endpoint | undefined) => void) => LogClient;
