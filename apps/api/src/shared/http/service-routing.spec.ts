import { connect } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { fastify } from 'fastify';
import { AnswerRoom } from '#api/shared/answers/answer-room.js';
import { BodyIngress } from '#api/shared/bodies/body-ingress.js';
import { eventually } from '#test/support/eventually.js';
import { ANYBODY, type ServiceHttpPolicy } from './service-http-policy.js';
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

describe('Bodies of callers without a credential', () => {
  it('count as they arrive: announced ones keep nobody from sending', async () => {
    const app = fastify();
    app.decorate('answers', new AnswerRoom());
    // 4 KiB for small bodies, of which one caller may have 1 KiB
    const bodies = new BodyIngress({ mostBytes: 1024, budgetBytes: 32 * 1024, timeoutSeconds: 30 });
    const policy: ServiceHttpPolicy = {
      ...edge('', true),
      authorize: (request, _reply, proceed) => proceed(String(request.headers.key ?? ANYBODY)),
      failed: (_error, _request, reply) => void reply.code(503).send(),
    };
    routeServices(app, [], policy, bodies);
    bodies.register(app);
    let begun = 0;
    app.addHook('preParsing', async () => {
      begun++;
    });
    app.post('/in', (request, reply) => reply.send(request.body));
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    const silent = Array.from({ length: 8 }, () => connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined));
    for (const one of silent) one.write('POST /in HTTP/1.1\r\nhost: x\r\ncontent-length: 600\r\n\r\n');
    await eventually(async () => begun).until((count) => count === 8);
    const send = async (headers: Record<string, string>) =>
      (await fetch(`${url}/in`, { method: 'POST', headers, body: 'x'.repeat(600) })).status;
    expect([bodies.bytesInUse, await send({}), await send({ key: 'a' })]).toEqual([0, 200, 200]);
    for (const one of silent) one.destroy();
    await app.close();
  });
});
