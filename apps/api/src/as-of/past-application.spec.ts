import { EventEmitter } from 'node:events';
import { expect, it } from '@jest/globals';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Runtime } from '#api/runtime/runtime.js';
import type { ServiceHttpPolicy } from '#api/shared/http/service-http-policy.js';
import { ReadModelsUnavailable } from '#projections/shared/read-store.js';
import { PastApplication } from './past-application.js';

it('An application of the past that could not be built is built again for the next read, and meanwhile reads are answered 503', async () => {
  let builds = 0;
  const runtime = {
    readStore: { view: () => ({}), onCommit: () => () => undefined },
    configuration: { console: false },
    logger: { error: () => undefined },
    get eventStore() {
      builds++;
      throw new Error('too many open files');
    },
  } as unknown as Runtime;
  const past = new PastApplication(runtime, {} as ConstructorParameters<typeof PastApplication>[1]);
  const read = (): Promise<unknown> => {
    const request = { id: 'r', headers: { 'logbook-as-of': '1' } } as unknown as FastifyRequest;
    const reply = { raw: new EventEmitter() } as unknown as FastifyReply;
    return new Promise((fail) => past.handOver(request, reply, { prefix: '/v1' } as ServiceHttpPolicy, fail));
  };
  expect(await read()).toBeInstanceOf(ReadModelsUnavailable);
  expect(await read()).toBeInstanceOf(ReadModelsUnavailable);
  expect(builds).toBe(2);
});
