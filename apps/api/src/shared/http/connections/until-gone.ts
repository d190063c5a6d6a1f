import type { FastifyReply } from 'fastify';

const isGone = ({ socket }: FastifyReply['raw']): boolean => socket?.destroyed !== false;

/** Aborted when the connection ends before the answer. */
export const untilGone = ({ raw }: FastifyReply): AbortSignal => {
  const gone = new AbortController();
  if (isGone(raw)) gone.abort();
  raw.once('close', () => {
    if (!raw.writableEnded) gone.abort();
  });
  return gone.signal;
};
