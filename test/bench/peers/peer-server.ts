import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { Body, Controller, Get, Module, Param, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import Fastify from 'fastify';
import { createClient } from 'redis';
import { serveParent } from '#test/bench/servers/child.js';

/** What a peer serves. `manifest`: the `package.json` beside its packages, if it needs any. `database`: URL. */
export type PeerServerOptions = Readonly<{ kind: 'emmett' | 'crud' | 'streams'; manifest: string; database: string }>;

type Document = Readonly<Record<string, unknown>>;

/** The three operations that are compared. A promise is kept when it is durable and can be read. */
interface Peer {
  /** Returns the id of the new record. */
  create(document: Document): Promise<string>;
  /** The record, as an object or as JSON. */
  find(id: string): Promise<unknown>;
  /** Returns the id of the message. */
  publish(topic: string, message: Document): Promise<string>;
  /** Writes to disk what the database keeps back. */
  settle(): Promise<unknown>;
  close(): Promise<unknown>;
}

type Served = Readonly<{ url: string; close(): Promise<unknown> }>;
type Start = (options: PeerServerOptions) => Promise<Served>;

const HOST = '127.0.0.1';

/** The part of `pg` that is used. */
type Pool = Readonly<{ query(text: string, values?: readonly unknown[]): Promise<{ rows: readonly Document[] }>; end(): Promise<void> }>;
type Pg = Readonly<{ Pool: new (options: Readonly<{ connectionString: string }>) => Pool }>;

/** The parts of Emmett and Pongo that are used. */
type Event = Readonly<{ type: string; data: Document }>;
type EventStore = Readonly<{
  appendToStream(
    stream: string,
    events: readonly Event[],
    options?: Readonly<{ expectedStreamVersion: unknown }>,
  ): Promise<Readonly<{ nextExpectedStreamVersion: bigint }>>;
  close(): Promise<void>;
}>;
type Emmett = Readonly<{ STREAM_DOES_NOT_EXIST: unknown; projections: Readonly<{ inline(all: readonly unknown[]): unknown }> }>;
type EmmettPostgres = Readonly<{
  getPostgreSQLEventStore(url: string, options: Readonly<{ projections: unknown }>): EventStore;
  pongoSingleStreamProjection(projection: object): unknown;
}>;
type Pongo = Readonly<{
  pongoClient(url: string): Readonly<{
    db(): Readonly<{ collection(name: string): Readonly<{ findOne(filter: object): Promise<Document | null> }> }>;
    close(): Promise<void>;
  }>;
}>;

const checkpointing = (pool: Pool) => () => pool.query('CHECKPOINT');

/** Each record is a stream, from which a projection makes a document in the same transaction; each topic is a stream. */
const emmett = async ({ manifest, database }: PeerServerOptions): Promise<Peer> => {
  const load = createRequire(manifest);
  const { STREAM_DOES_NOT_EXIST, projections }: Emmett = load('@event-driven-io/emmett');
  const { getPostgreSQLEventStore, pongoSingleStreamProjection }: EmmettPostgres = load('@event-driven-io/emmett-postgresql');
  const { pongoClient }: Pongo = load('@event-driven-io/pongo');
  const { Pool }: Pg = load('pg');
  const projection = pongoSingleStreamProjection({
    collectionName: 'records',
    canHandle: ['RecordCreated'],
    evolve: (_document: Document | null, { data }: Event) => data,
  });
  const store = getPostgreSQLEventStore(database, { projections: projections.inline([projection]) });
  const pongo = pongoClient(database);
  const records = pongo.db().collection('records');
  const pool = new Pool({ connectionString: database });
  const create = async (document: Document): Promise<string> => {
    const id = `record-${randomUUID()}`;
    const event = { type: 'RecordCreated', data: document };
    await store.appendToStream(id, [event], { expectedStreamVersion: STREAM_DOES_NOT_EXIST });
    return id;
  };
  await create({}); // makes the tables; of several first appends at once all but one would fail
  return {
    create,
    find: async (id) => {
      const found = await records.findOne({ _id: id });
      return found && { ...found, _version: undefined }; // a bigint, which is no JSON
    },
    publish: async (topic, message) => {
      const event = { type: 'MessagePublished', data: message };
      return `${(await store.appendToStream(`topic-${topic}`, [event])).nextExpectedStreamVersion}`;
    },
    settle: checkpointing(pool),
    close: () => Promise.all([store.close(), pongo.close(), pool.end()]),
  };
};

/** A table of records and one of messages. */
const crud = async ({ manifest, database }: PeerServerOptions): Promise<Peer> => {
  const { Pool }: Pg = createRequire(manifest)('pg');
  const pool = new Pool({ connectionString: database });
  await pool.query('CREATE TABLE crud_records (id uuid PRIMARY KEY, document jsonb NOT NULL)');
  await pool.query('CREATE TABLE crud_messages (id bigserial PRIMARY KEY, topic text NOT NULL, message jsonb NOT NULL)');
  return {
    create: async (document) => {
      const id = randomUUID();
      await pool.query('INSERT INTO crud_records (id, document) VALUES ($1, $2)', [id, document]);
      return id;
    },
    find: async (id) => (await pool.query('SELECT document FROM crud_records WHERE id = $1', [id])).rows[0]?.document,
    publish: async (topic, message) => {
      const { rows } = await pool.query('INSERT INTO crud_messages (topic, message) VALUES ($1, $2) RETURNING id', [topic, message]);
      return `${rows[0]?.id}`;
    },
    settle: checkpointing(pool),
    close: () => pool.end(),
  };
};

/** One stream of records, with the newest text of each under its id, and a stream for each topic. */
const streams = async ({ database }: PeerServerOptions): Promise<Peer> => {
  const client = await createClient({ url: database }).connect();
  return {
    create: async (document) => {
      const id = randomUUID();
      const text = JSON.stringify(document);
      await client.multi().xAdd('records', '*', { id, text }).set(`record:${id}`, text).exec();
      return id;
    },
    find: (id) => client.get(`record:${id}`),
    publish: (topic, message) => client.xAdd(`topic:${topic}`, '*', { message: JSON.stringify(message) }),
    settle: async () => {}, // every command is on disk when it is answered
    close: () => client.close(),
  };
};

type Publication = Readonly<{ messages: readonly Document[] }>;

const onFastify =
  (open: (options: PeerServerOptions) => Promise<Peer>): Start =>
  async (options) => {
    const peer = await open(options);
    const fastify = Fastify();
    fastify.post<{ Body: Document }>('/records', async ({ body }, reply) => reply.code(201).send({ id: await peer.create(body) }));
    fastify.get<{ Params: { id: string } }>('/records/:id', async ({ params }, reply) =>
      reply.type('application/json; charset=utf-8').send(await peer.find(params.id)),
    );
    fastify.post<{ Params: { topic: string }; Body: Publication }>('/topics/:topic', async ({ params, body }) => ({
      messageIds: await Promise.all(body.messages.map((message) => peer.publish(params.topic, message))),
    }));
    fastify.post('/settle', async () => void (await peer.settle()));
    const url = await fastify.listen({ host: HOST, port: 0 });
    return { url, close: () => fastify.close().then(() => peer.close()) };
  };

const onNest: Start = async (options) => {
  const peer = await crud(options);

  @Controller()
  class PeerController {
    @Post('records')
    async create(@Body() document: Document) {
      return { id: await peer.create(document) };
    }

    @Get('records/:id')
    find(@Param('id') id: string) {
      return peer.find(id);
    }

    @Post('topics/:topic')
    async publish(@Param('topic') topic: string, @Body() { messages }: Publication) {
      return { messageIds: await Promise.all(messages.map((message) => peer.publish(topic, message))) };
    }

    @Post('settle')
    async settle() {
      await peer.settle();
    }
  }

  @Module({ controllers: [PeerController] })
  class PeerModule {}

  const application = await NestFactory.create<NestFastifyApplication>(PeerModule, new FastifyAdapter(), { logger: false });
  await application.listen(0, HOST);
  return { url: await application.getUrl(), close: () => application.close().then(() => peer.close()) };
};

const STARTS: Readonly<Record<PeerServerOptions['kind'], Start>> = { emmett: onFastify(emmett), crud: onNest, streams: onFastify(streams) };

await serveParent((options: PeerServerOptions) => STARTS[options.kind](options));
