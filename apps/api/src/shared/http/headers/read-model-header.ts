import type { FastifyReply } from 'fastify';

/** Marks the answer to a write that is durable but may not be visible to reads yet (design 5). */
export const noteReadability = (reply: FastifyReply, readable: boolean): void => {
  if (!readable) reply.header('logbook-read-model', 'behind');
};
