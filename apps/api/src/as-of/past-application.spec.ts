import { EventEmitter } from 'node:events';
import { expect, it } from '@jest/globals';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccountingHttpPolicy } from '#api/accounting/http-policy.js';
import type { Runtime } from '#api/runtime/runtime.js';
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
  /** Status and headers of the answer of accounting, whose tokens an auditor does not have. */
  const read = (): Promise<unknown> => {
    const headers = { 'logbook-as-of': '1' };
    const parts = { id: 'r', url: '/accounting-system/projects', headers, routeOptions: {}, server: {} };
    const request = parts as unknown as FastifyRequest;
    const policy = new AccountingHttpPolicy({} as never, { warn: () => undefined } as never, () => '', [], []);
    return new Promise((resolve) => {
      const sent: Record<string, string> = {};
      let status = 0;
      const reply = {
        raw: new EventEmitter(),
        hasHeader: (name: string) => name in sent,
        header: (name: string, value: string) => Object.assign(sent, { [name]: value }) && reply,
        code: (given: number) => {
          status = given;
          return reply;
        },
        send: () => resolve([status, sent]),
      };
      past.handOver(request, reply as unknown as FastifyReply, policy, (error) => policy.failed(error, request, reply as never));
    });
  };
  const later = [503, { 'content-type': 'application/json; charset=utf-8', 'retry-after': '1' }];
  expect(await read()).toEqual(later);
  expect(await read()).toEqual(later);
  expect(builds).toBe(2);
});
