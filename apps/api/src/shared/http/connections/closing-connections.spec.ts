import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from '@jest/globals';
import Fastify from 'fastify';
import { endConnectionsOnClose } from './closing-connections.js';
import { Drain } from './drain.js';

it('a server that closes ends connections over which nobody has asked anything', async () => {
  const fastify = Fastify();
  endConnectionsOnClose(fastify, new Drain());
  const { port } = new URL(await fastify.listen({ port: 0, host: '127.0.0.1' }));
  const unused = connect(Number(port), '127.0.0.1').resume();
  await once(unused, 'connect');
  const ended = once(unused, 'close');
  await fastify.close(); // without it the test waits for 72 seconds, and the client ends the connection
  await ended;
  expect(unused.readableEnded).toBe(true);
});
