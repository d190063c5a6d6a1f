import type { FastifyReply } from 'fastify';

/** Adds a request header to those on which the answer depends. */
export const addVary = (reply: FastifyReply, header: string): void => {
  const known = String(reply.getHeader('vary') ?? '');
  const names = known === '' ? [] : known.split(', ');
  if (!names.includes(header)) reply.header('vary', [...names, header].join(', '));
};
