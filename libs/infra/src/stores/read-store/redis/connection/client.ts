import { createClient, ErrorReply, RESP_TYPES } from 'redis';
import { backOff } from '#infra/platform/coordination/back-off.js';

type ClientOptions = Readonly<{
  /** `redis://` or `rediss://`, with user and password if needed. */
  url: string;
  /** Shown by `CLIENT LIST`. */
  name: string;
  connectTimeoutMs: number;
  /** Reconnect to the same server after a lost connection. */
  reconnects: boolean;
}>;

/** The random part keeps the nodes of a cluster from reconnecting all at once. */
export const reconnectPauseMs = backOff(50, 2_000, 0.5);

/**
 * Creates a client that refuses commands while it has no connection, and returns text as bytes. Its own time limit is switched off: it stops
 * counting once a command is sent, and costs a timer per command.
 */
export const newClient = ({ url, name, connectTimeoutMs, reconnects }: ClientOptions) =>
  createClient({
    url,
    name,
    disableOfflineQueue: true,
    maintNotifications: 'disabled',
    commandOptions: { timeout: undefined, typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } },
    socket: {
      connectTimeout: connectTimeoutMs,
      reconnectStrategy: reconnects ? (retries: number) => reconnectPauseMs(retries + 1) : false,
    },
  });

export type Client = ReturnType<typeof newClient>;

/** Error code that Redis answered, which is the first word of the message; empty for other errors. */
export const redisCode = (error: unknown): string => (error instanceof ErrorReply ? (error.message.split(' ', 1)[0] ?? '') : '');
