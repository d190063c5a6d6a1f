import { once } from 'node:events';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type FastifyInstance, fastify } from 'fastify';
import { AnswerRoom } from '#api/shared/answers/answer-room.js';
import { BodyIngress } from '#api/shared/bodies/body-ingress.js';
import { ReadModelsBehind, ReadStoreUnavailable } from '#projections/shared/read-store.js';
import { LongCalls } from './long-calls.js';
import type { ServiceHttpPolicy } from './service-http-policy.js';
import { routeServices } from './service-routing.js';

class Refused extends Error {
  readonly statusCode = 401;
}
const refuses = async (): Promise<void> => {
  throw new Refused('the key is gone');
};
const fails = async (): Promise<void> => {
  throw new ReadStoreUnavailable('no store');
};
const isBehind = async (): Promise<void> => {
  throw new ReadModelsBehind('not the whole log');
};
const admits = async (): Promise<void> => undefined;
const never = () => new Promise<void>(() => undefined);

const opened: FastifyInstance[] = [];
afterEach(() => Promise.all(opened.splice(0).map((app) => app.close())));

const policyOf = (prefix: string, admitAgain: () => Promise<void>): ServiceHttpPolicy => ({
  prefix,
  callersIn: ['callers'],
  unknownPath: (_request, reply) => void reply.code(404).send(),
  wrongMethod: (_request, reply) => void reply.code(405).send(),
  authorize: (_request, _reply, proceed) => proceed('caller'),
  admitAgain,
  failed: (_error, _request, reply) => void reply.code(500).send(),
});

/** A service whose callers are looked up by `admitAgain`; other services that share its checks, by prefix. */
const serviceOf = (admitAgain: () => Promise<void>, { require = admits, others = {} as Record<string, () => Promise<void>> } = {}) => {
  const app = fastify();
  opened.push(app);
  app.decorate('answers', new AnswerRoom()).decorateRequest('sharedBy', '').decorateRequest('bodyMemory', undefined);
  app.decorate('longCalls', new LongCalls({ completeness: { require }, logger: { info: () => undefined, warn: () => undefined } }, 10));
  const services = Object.entries(others).map(([prefix, admit]) => policyOf(prefix, admit));
  const bodies = new BodyIngress({ mostBytes: 1024, budgetBytes: 1024, timeoutSeconds: 1 });
  routeServices(app, services, policyOf('', admitAgain), bodies);
  for (const prefix of ['', ...Object.keys(others)])
    app.get(`${prefix}/waits`, async (request, reply) => {
      const refused = app.longCalls.follow(request, reply);
      await once(refused, 'abort');
      return refused.reason.message;
    });
  return app;
};

/** Calls these one after the other, and the last one for ever. */
const inTurn = (...steps: (() => Promise<void>)[]) => {
  const left = [...steps];
  return { left, next: () => (left.length > 1 ? left.shift() : left[0])?.() ?? Promise.resolve() };
};

describe('A long call', () => {
  it('ends with the error of the service once its caller is refused', async () => {
    const { next, left } = inTurn(admits, admits, refuses);
    expect((await serviceOf(next).inject('/waits')).payload).toBe('the key is gone');
    expect(left).toHaveLength(1);
  });

  it('goes on while the store fails, or the read models are behind, and where the right is back at the second look', async () => {
    const looks = inTurn(fails, refuses, refuses, admits, refuses);
    const complete = inTurn(isBehind, admits);
    expect((await serviceOf(looks.next, { require: complete.next }).inject('/waits')).payload).toBe('the key is gone');
    expect([looks.left, complete.left]).toEqual([[refuses], [admits]]);
  });

  it('ends although the callers of another service cannot be looked up', async () => {
    const app = serviceOf(never, { others: { '/fine': refuses } });
    app.inject('/waits', () => undefined); // begins now, and has no end
    expect((await app.inject('/fine/waits')).payload).toBe('the key is gone');
  });

  it('ends by a further check of its handler', async () => {
    const app = serviceOf(admits);
    app.get('/further', async (request, reply) => {
      const refused = app.longCalls.follow(request, reply, { readModels: ['rights'], admit: refuses });
      await once(refused, 'abort');
      return refused.reason.message;
    });
    expect((await app.inject('/further')).payload).toBe('the key is gone');
  });

  it('is cut off where its answer is under way', async () => {
    const app = serviceOf(refuses);
    const endless = async function* () {
      yield 'begun';
      await never();
    };
    app.get('/answer', (_request, reply) => reply.send(Readable.from(endless(), { objectMode: false })));
    const answer = await fetch(`${await app.listen({ port: 0, host: '127.0.0.1' })}/answer`);
    await expect(answer.text()).rejects.toThrow('terminated');
  });
});
