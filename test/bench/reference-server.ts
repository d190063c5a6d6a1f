import { join } from 'node:path';
import Fastify, { type FastifyInstance } from 'fastify';
import { open } from 'lmdb';
import { createClient, RESP_TYPES } from 'redis';
import { serveParent } from './child.js';

/** What the one route of a reference server does. */
export type ReferenceRoute = Readonly<
  /** Answers these bytes (base64). */
  | { kind: 'bytes'; contentType: string; body: string }
  /** Answers the field of a Redis hash, read anew for each request. */
  | { kind: 'hash-field'; contentType: string; redisUrl: string; key: string; field: string }
  /** `PUT`: parses the JSON body, puts it durably into LMDB in the directory, answers. */
  | { kind: 'durable-put'; directory: string }
>;

/** The path of the route; `:id` stands for anything. */
export const REFERENCE_PATH = '/reference/:id';

type Close = () => Promise<unknown>;

const addRoute = async (fastify: FastifyInstance, route: ReferenceRoute): Promise<Close> => {
  switch (route.kind) {
    case 'bytes': {
      const body = Buffer.from(route.body, 'base64');
      fastify.get(REFERENCE_PATH, (_request, reply) => {
        reply.type(route.contentType).send(body);
      });
      return async () => {};
    }
    case 'hash-field': {
      const redis = await createClient({ url: route.redisUrl }).connect();
      const asBytes = redis.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer }); // decoding text would cost the reference more
      fastify.get(REFERENCE_PATH, async (_request, reply) =>
        reply.type(route.contentType).send(await asBytes.hGet(route.key, route.field)),
      );
      return () => redis.close();
    }
    case 'durable-put': {
      // Without `overlappingSync` a put is on disk when its promise resolves, and not visible before.
      const root = open({ path: join(route.directory, 'reference'), noSubdir: false, overlappingSync: false });
      const records = root.openDB<unknown, string>('records', { encoding: 'json' });
      fastify.put<{ Params: Readonly<{ id: string }> }>(REFERENCE_PATH, async ({ params: { id }, body }) => {
        await records.put(id, body);
        return { id };
      });
      return () => root.close();
    }
  }
};

/** One bare Fastify route. */
await serveParent(async (route: ReferenceRoute) => {
  const fastify = Fastify();
  const close = await addRoute(fastify, route);
  const url = await fastify.listen({ host: '127.0.0.1', port: 0 });
  return {
    url,
    close: async () => {
      await fastify.close();
      await close();
    },
  };
});
