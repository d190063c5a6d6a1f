import type { AppendResult } from '#domain/shared/event-store.js';
import type { Position, Revision } from '#domain/shared/events.js';
import type { Endpoint } from './grpc/call.js';
import type { ReadMessage } from './messages/records.js';
import type { EncodedEvent, SentExpectation } from './messages/requests.js';

/** A read. `streamNames` is a regular expression with the same meaning in .NET and JavaScript; links stay unresolved. */
export type ReadRequest =
  /** Starts at `from`, inclusive; `undefined` starts at the first event, or backwards at the last. `count` is at least 1. */
  | Readonly<{ of: 'stream'; stream: string; from: Revision | undefined; direction: 'forwards' | 'backwards'; count: number }>
  /** The last event of a stream. If the client supports it, also its revision when the event has expired or was truncated. */
  | Readonly<{ of: 'last'; stream: string }>
  /** The whole log, including the event at `from`; `count` counts the events that pass. */
  | Readonly<{ of: 'all'; from: Position; streamNames: string; count: number }>
  /** The newest event of the log; of any kind without `streamNames`. */
  | Readonly<{ of: 'head'; streamNames?: string | undefined }>
  /** All events after `after`, exclusive, until the call ends. */
  | Readonly<{ of: 'live'; after: Position; streamNames: string }>;

export type ReadListener = Readonly<{
  /** An error thrown by it ends the call. */
  message(message: ReadMessage): void;
  /** Called once, last. Without an error, the server has finished; with {@link CallFailed}, the server or the connection has failed. */
  ended(error: unknown): void;
}>;

export type ReadCall = Readonly<{
  /** Ends the read at once; the listener gets no further callback. */
  cancel(): void;
}>;

/** The adapter's view of an EventStoreDB client: a connection to one node, which it finds and connects to on the first call. */
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
  append(stream: string, events: readonly EncodedEvent[], expected: SentExpectation, answerMs: number): Promise<AppendResult>;

  /** Calls in progress continue; the connection is closed after the last. */
  retire(): void;

  end(): Promise<void>;
}

/**
 * Creates a client, which does not connect yet.
 * @param node to connect to; default: the one of the settings, or the leader of the cluster
 * @param failed called when calls to this node are pointless: it is gone (even if there are no calls), not ready, or not the leader
 */
export type OpenClient = (node: Endpoint | undefined, failed: (client: LogClient, leader: Endpoint | undefined) => void) => LogClient;
