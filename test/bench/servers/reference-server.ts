import { join } from 'node:path';
import Fastify, { type FastifyInstance } from 'fastify';
import { open } from 'lmdb';
import { createClient, RESP_TYPES } from 'redis';
import { serveParent } from './child.js';

/** What a route of a reference server does. */
export type ReferenceRoute = Readonly<
  /** Answers these bytes (base64). */
  | { kind: 'bytes'; contentType: string; body: string }
  /** Answers the field of a Redis hash, read anew for each request. */
  | { kind: 'hash-field'; contentType: string; redisUrl: string; key: string; field: string }
  /** `PUT`: parses the JSON body, puts it durably into LMDB in the directory, answers. */
  | { kind: 'durable-put'; directory: string }
  /** `POST`: parses the JSON body, puts each of its `messages` durably into LMDB in the directory, answers their ids. */
  | { kind: 'durable-messages'; directory: string }
  /** `POST`: answers so many texts of so many bytes, read with one range from LMDB in the directory. */
  | { kind: 'range'; directory: string; count: number; bytes: number }
>;

/** The path of all routes; `:id` stands for anything. */
export const REFERENCE_PATH = '/reference/:id';

type Close = () => Promise<unknown>;

const storeOf = ({ directory, kind }: Readonly<{ directory: string; kind: string }>): string => join(directory, `reference-${kind}`);

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
    case 'durable-messages': {
      const root = open({ path: storeOf(route), noSubdir: false, overlappingSync: false });
      const messages = root.openDB<unknown, number>('messages', { encoding: 'json', keyEncoding: 'uint32' });
      let next = 0;
      fastify.post<{ Body: Readonly<{ messages: readonly unknown[] }> }>(REFERENCE_PATH, async ({ body }) => {
        const first = next;
        next += body.messages.length;
        await messages.batch(() => body.messages.forEach((message, index) => void messages.put(first + index, message)));
        return { messageIds: body.messages.map((_, index) => `${first + index}`) };
      });
      return () => root.close();
    }
    case 'range': {
      const root = open({ path: storeOf(route), noSubdir: false });
      const messages = root.openDB<string, number>('texts', { encoding: 'string', keyEncoding: 'uint32' });
      for (let key = 0; key < route.count; key++) await messages.put(key, JSON.stringify('x'.repeat(route.bytes)));
      fastify.post(REFERENCE_PATH, (_request, reply) => {
        const found = Array.from(messages.getRange({ start: 0, end: route.count }), ({ value }) => value);
        reply.type('application/json').send(`{"receivedMessages":[${found.join()}]}`);
      });
      return () => root.close();
    }
    case 'durable-put': {
      // Without `overlappingSync` a put is on disk when its promise resolves, and not visible before.
      const root = open({ path: storeOf(route), noSubdir: false, overlappingSync: false });
      const records = root.openDB<unknown, string>('records', { encoding: 'json' });
      fastify.put<{ Params: Readonly<{ id: string }> }>(REFERENCE_PATH, async ({ params: { id }, body }) => {
        await records.put(id, body);
        return { id };
      });
      return () => root.close();
    }
  }
};

await serveParent(async (routes: readonly ReferenceRoute[]) => {
  const fastify = Fastify();
  const closes: Close[] = [];
  for (const route of routes) closes.push(await addRoute(fastify, route));
  const url = await fastify.listen({ host: '127.0.0.1', port: 0 });
  return {
    url,
    close: async () => {
      await fastify.close();
      for (const close of closes) await close();
    },
  };
});
