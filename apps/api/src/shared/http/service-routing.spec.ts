import { describe, expect, it } from '@jest/globals';
import { fastify } from 'fastify';
import { AnswerRoom } from '#api/shared/answers/answer-room.js';
import { BodyIngress } from '#api/shared/bodies/body-ingress.js';
import type { ServiceHttpPolicy } from './service-http-policy.js';
import { routeServices } from './service-routing.js';

const edge = (prefix: string, authorizes: boolean): ServiceHttpPolicy => ({
  prefix,
  otherPrefixes: [`/old${prefix}`],
  callersIn: [],
  unknownPath: (_request, reply) => void reply.code(404).send(),
  wrongMethod: (_request, reply) => void reply.code(405).send(),
  authorize: (_request, reply, proceed) => (authorizes ? proceed('caller') : void reply.code(401).send()),
  admitAgain: async () => undefined,
  failed: (_error, _request, reply) => void reply.code(500).send(),
});

describe('the edge of a service', () => {
  it.each([
    ['/closed/door', 401],
    ['/%63losed/door', 401],
    ['/closed/%64oor', 401],
    ['http://host/closed/door', 401],
    ['/open/door', 200],
    ['/closed/wall', 404],
    ['/old/closed/door', 401],
  ])('decides on %s, however the path is written', async (url, status) => {
    const app = fastify();
    app.decorate('answers', new AnswerRoom());
    const bodies = new BodyIngress({ mostBytes: 1024, budgetBytes: 1024, timeoutSeconds: 1 });
    routeServices(app, [edge('/closed', false)], edge('', true), bodies);
    for (const path of ['/closed/door', '/old/closed/door', '/open/door']) app.get(path, (_request, reply) => reply.send('in'));
    expect((await app.inject(url)).statusCode).toBe(status);
    await app.close();
  });
});
