import { expect, it } from '@jest/globals';
import fastify from 'fastify';
import { Registry } from 'prom-client';
import { failedLogins } from './failed-logins.js';

it('of many refused credentials the first is logged at once, the last when a quiet time is over, with the number of those between', async () => {
  const lines: object[] = [];
  let said: () => void = () => undefined;
  const second = new Promise<void>((resolve) => {
    said = resolve;
  });
  const warn = (facts: object) => {
    if (lines.push(facts) === 2) said();
  };
  const app = fastify();
  failedLogins(app, new Registry(), { warn }, 200);
  app.get('/v1/projects/:project', (_, reply) => reply.code(401).send());
  for (const project of ['2024-01-01', '2024-01-02', '2024-01-03', '2024-01-04'])
    await app.inject({ url: `/v1/projects/${project}?key=guess` });
  await app.inject({ url: '/v1/projects/without' });
  expect(lines).toHaveLength(1);
  await second;
  const line = { refusedBy: 'messaging', method: 'GET', ip: '127.0.0.1' };
  expect(lines).toEqual([
    { ...line, requestId: expect.any(String), path: '/v1/projects/2024-01-01', others: 0 },
    { ...line, requestId: expect.any(String), path: '/v1/projects/2024-01-04', others: 2 },
  ]);
  await app.close();
});
