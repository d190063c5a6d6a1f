import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ServiceName } from '#domain/shared/events.js';
import type { Completeness } from '#infra/engine/projection-runner/completeness.js';
import type { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import { PartitionedRead, readings } from '#infra/engine/projection-runner/set-aside/partitioned-view.js';
import { noteReadability } from './headers/read-model-header.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** Writes that this process has acknowledged although its read models do not show them yet. As of the past there are none. */
    debts: Pick<ReadModels, 'isOwing' | 'settled'>;
  }
  interface FastifyRequest {
    /** It was let in while something was owed, and its handler has run once at most. */
    mayLookAgain: boolean;
  }
}

export const NO_DEBTS: FastifyInstance['debts'] = { isOwing: () => false, settled: async () => true };

/** Searches are the only reads that come as POST. */
export const isRead = ({ method, routeOptions }: Pick<FastifyRequest, 'method' | 'routeOptions'>): boolean =>
  method === 'GET' || method === 'HEAD' || routeOptions.url?.endsWith('/search') === true;

/**
 * Answers that show many partitions at once say so when one of these is set aside, and so shows as it was; and all reads say so while a write was
 * acknowledged that the read models do not show yet, as does whatever is not found while they are behind. Costs a look at a few flags as long as nothing is.
 */
export const registerReadings = (
  fastify: FastifyInstance,
  { readModels, completeness }: Readonly<{ readModels: Pick<ReadModels, 'isDegraded' | 'isOwing'>; completeness: Completeness }>,
): void => {
  fastify.addHook('preHandler', (request, reply, done) => {
    request.mayLookAgain = readModels.isOwing();
    if (request.mayLookAgain && isRead(request)) noteReadability(reply, false);
    if (!readModels.isDegraded || !isRead(request)) return done();
    const end = readings.begin();
    for (const event of ['finish', 'close']) reply.raw.once(event, end);
    readings.run(new PartitionedRead(() => !reply.sent && noteReadability(reply, false)), done);
  });
  fastify.addHook('onSend', (_request, reply, payload, done) => {
    const { statusCode } = reply;
    if ((statusCode === 404 || statusCode === 401) && (readModels.isOwing() || completeness.isBehind)) noteReadability(reply, false);
    done(null, payload);
  });
};

/**
 * Whether the handler of a request that has found nothing runs once more, because a write of the service was acknowledged that the read models do not show:
 * when they show it, or after two seconds. Its second answer is the last one.
 */
export const looksAgain = (request: FastifyRequest, reply: FastifyReply, service: ServiceName, statusCode: number): boolean => {
  const { server, routeOptions } = request;
  if (statusCode !== 404 || !request.mayLookAgain || !server.debts.isOwing(service)) return false;
  request.mayLookAgain = false;
  const look = async (): Promise<void> => {
    await server.debts.settled(service);
    if (!server.debts.isOwing()) reply.removeHeader('logbook-read-model');
    const payload: unknown = await routeOptions.handler?.call(server, request, reply);
    if (payload !== undefined && !reply.sent) reply.send(payload);
  };
  look().catch((error: unknown) => reply.send(error));
  return true;
};
