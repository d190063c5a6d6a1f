import type { FastifyReply } from 'fastify';
import type { Position } from '#domain/shared/events.js';

/** Operations contract 0: every successful write answers the position of its last event. */
export const setPosition = (reply: FastifyReply, position: Position): void => {
  reply.header('logbook-position', `${position}`);
};
