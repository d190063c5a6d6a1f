import { once } from 'node:events';
import { get } from 'node:http';
import { expect, it, jest } from '@jest/globals';
import { fastify } from 'fastify';
import type { Completeness } from '#infra/engine/projection-runner/completeness.js';
import { readings } from '#infra/engine/projection-runner/set-aside/partitioned-view.js';
import { until } from '#test/support/eventually.js';
import { registerReadings } from './readings.js';

it('A read over partitions ends, also if its client left before it began', async () => {
  const end = jest.fn();
  jest.spyOn(readings, 'begin').mockReturnValue(end);
  const server = fastify();
  server.addHook('onRequest', async (_request, reply) => {
    reply.raw.destroy();
    await once(reply.raw, 'close');
  });
  const readModels = { isDegraded: true, isOwing: () => false };
  registerReadings(server, { readModels, completeness: { isBehind: false } as Completeness });
  let isHandled = false;
  server.get('/', async () => {
    isHandled = true;
    return '';
  });
  get(await server.listen({ host: '127.0.0.1', port: 0 })).once('error', () => undefined);
  await until(() => isHandled);
  await server.close();
  jest.restoreAllMocks();
  expect(end.mock.calls.length).toBeGreaterThan(0);
});
