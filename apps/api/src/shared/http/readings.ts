import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import { PartitionedRead, readings } from '#infra/engine/projection-runner/set-aside/partitioned-view.js';
import { noteReadability } from './headers/read-model-header.js';

/** Searches are the only reads that come as POST. */
export const isRead = ({ method, routeOptions }: Pick<FastifyRequest, 'method' | 'routeOptions'>): boolean =>
  method === 'GET' || method === 'HEAD' || routeOptions.url?.endsWith('/search') === true;

/**
 * Answers that show many partitions at once say so when one of these is set aside, and so shows as it was; and all reads say so while a write was
 * acknowledged that the read models do not show yet. Costs a look at a few flags as long as nothing is.
 */
export const registerReadings = (fastify: FastifyInstance, readModels: Pick<ReadModels, 'isDegraded' | 'isOwing'>): void => {
  fastify.addHook('preHandler', (request, reply, done) => {
    if (readModels.isOwing() && isRead(request)) noteReadability(reply, false);
    if (!readModels.isDegraded || !isRead(request)) done();
    else readings.run(new PartitionedRead(() => !reply.sent && noteReadability(reply, false)), done);
  });
};
