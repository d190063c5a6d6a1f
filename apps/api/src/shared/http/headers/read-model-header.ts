import type { FastifyReply } from 'fastify';

/** Tells a writer that its write is durable, but that reads may not show it yet (design 5). */
export const noteReadability = (reply: FastifyReply, readable: boolean): void => {
  if (!readable) reply.header('logbook-read-model', 'behind');
};
