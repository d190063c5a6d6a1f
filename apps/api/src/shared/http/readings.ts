import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ServiceName } from '#domain/shared/events.js';
import type { Completeness } from '#infra/engine/projection-runner/completeness.js';
import type { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import { PartitionedRead, readings } from '#infra/engine/projection-runner/set-aside/partitioned-view.js';
import { noteReadability } from './headers/read-model-header.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** Acknowledged writes of this process that its read models do not show yet. As of the past there are none. */
    debts: Pick<ReadModels, 'isOwing' | 'settled'>;
  }
  interface FastifyRequest {
    /** Set if a write was pending at admission and the handler may run a second time. */
    mayLookAgain: boolean;
    /** The second run of the handler, if there is one. */
    lookingAgain?: Promise<void>;
  }
}

export const NO_DEBTS: FastifyInstance['debts'] = { isOwing: () => false, settled: async () => true };

/** Searches are the only reads that use POST. */
export const isRead = ({ method, routeOptions }: Pick<FastifyRequest, 'method' | 'routeOptions'>): boolean =>
  method === 'GET' || method === 'HEAD' || routeOptions.url?.endsWith('/search') === true;

/** The service whose read models the call reads; `undefined`: any. */
const serviceOf = ({ routeOptions }: FastifyRequest): ServiceName | undefined => routeOptions.config?.policy?.readsOf;

/**
 * Marks answers over several partitions if one of these is set aside and shows an old state. Marks all reads of a service while an acknowledged
 * write is not in its read models yet, and answers that something does not exist while the read models are behind. Otherwise it costs a check of a few flags.
 */
export const registerReadings = (
  fastify: FastifyInstance,
  { readModels, completeness }: Readonly<{ readModels: Pick<ReadModels, 'isDegraded' | 'isOwing'>; completeness: Completeness }>,
): void => {
  fastify.addHook('preHandler', (request, reply, done) => {
    request.mayLookAgain = readModels.isOwing(serviceOf(request));
    if (request.mayLookAgain && isRead(request)) noteReadability(reply, false);
    if (!readModels.isDegraded || !isRead(request)) return done();
    const end = readings.begin();
    for (const event of ['finish', 'close']) reply.raw.once(event, end);
    if (reply.raw.destroyed) end();
    readings.run(new PartitionedRead(() => !reply.sent && noteReadability(reply, false)), done);
  });
  fastify.addHook('onSend', (request, reply, payload, done) => {
    const { statusCode } = reply;
    // Keys of all services are in a read model of operations.
    const isAbsence = statusCode === 404 || (statusCode === 422 && request.lookingAgain !== undefined);
    const isOwing = statusCode === 401 ? readModels.isOwing() : isAbsence && readModels.isOwing(serviceOf(request));
    if (isOwing || ((isAbsence || statusCode === 401) && completeness.isBehind)) noteReadability(reply, false);
    done(null, payload);
  });
};

/**
 * Returns whether the handler of a request that did not find something runs a second time, because an acknowledged write of the service is not in
 * the read models yet: when it is, or after two seconds. The second answer is final. A handler does not run again once a command has written.
 */
export const looksAgain = (request: FastifyRequest, reply: FastifyReply, service: ServiceName, isAbsence: boolean): boolean => {
  const { server, routeOptions, written } = request;
  if (written?.isDecided) return false;
  if (!isAbsence || !request.mayLookAgain || !server.debts.isOwing(service)) return false;
  request.mayLookAgain = false;
  const look = async (): Promise<void> => {
    await server.debts.settled(service);
    if (!server.debts.isOwing(serviceOf(request))) reply.removeHeader('logbook-read-model');
    const payload: unknown = await routeOptions.handler?.call(server, request, reply);
    if (payload !== undefined && !reply.sent) reply.send(payload);
  };
  request.lookingAgain = look().catch((error: unknown) => void reply.send(error));
  return true;
};
