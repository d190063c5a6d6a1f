import type { FastifyReply } from 'fastify';

/** Says that the answer depends on this header of the request, beside others that it depends on. */
export const addVary = (reply: FastifyReply, header: string): void => {
  const known = String(reply.getHeader('vary') ?? '');
  const names = known === '' ? [] : known.split(', ');
  if (!names.includes(header)) reply.header('vary', [...names, header].join(', '));
};
