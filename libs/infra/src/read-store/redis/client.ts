import { createClient, ErrorReply, RESP_TYPES } from 'redis';
import { backOff } from '#infra/coordination/back-off.js';

export type ClientOptions = Readonly<{
  /** `redis://` or `rediss://`, with user and password if needed. */
  url: string;
  /** Shown by `CLIENT LIST`. */
  name: string;
  connectTimeoutMs: number;
}>;

/** The random part keeps the nodes of a cluster from coming back all at once. */
const reconnectPauseMs = backOff(50, 2_000, 0.5);

/**
 * Creates a client that reconnects for ever, refuses commands while it has no connection, and returns text as bytes. Its own time limit is
 * switched off: it stops counting once a command is sent, and costs a timer per command.
 */
export const newClient = ({ url, name, connectTimeoutMs }: ClientOptions) =>
  createClient({
    url,
    name,
    disableOfflineQueue: true,
    maintNotifications: 'disabled',
    commandOptions: { timeout: undefined, typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } },
    socket: { connectTimeout: connectTimeoutMs, reconnectStrategy: (retries: number) => reconnectPauseMs(retries + 1) },
  });

export type Client = ReturnType<typeof newClient>;

/** The first word of an error that Redis answered, which is its code; empty for other errors. */
export const redisCode = (error: unknown): string => (error instanceof ErrorReply ? (error.message.split(' ', 1)[0] ?? '') : '');
