import { describe, expect, it } from '@jest/globals';
import { serving } from '#test/e2e/serving.js';
import { malformed, notFound, UNKNOWN_ID, UTF8_JSON } from '#test/e2e/status/contract.js';
import { administration, BROKEN, expectBody, keyTaken, user, userNotFound } from '#test/e2e/status/tenant-calls.js';
import { ADMIN, embedded } from '#test/support/deployments.js';

describe('Tenants over HTTP', () => {
  const scene = serving(embedded);
  const admin = administration(scene);

  it.each(['%3AbyID', '%3abyID'])('find a user at users%s as at users:byID', async (part) =>
    expectBody(await scene.status.get(`/admin/users${part}/${UNKNOWN_ID}?export=flat`, { key: ADMIN }), 404, notFound),
  );

  it('check the tenant, then the body, then the user, then the key', async () => {
    const id = await admin.created('order', user('a', 'order-a'), user('b', 'order-b'));
    const [a] = await admin.usersOf(id);
    const taken = { api_key: 'order-b' };
    for (const [answer, status, body] of [
      [await admin.post(id, '/users', BROKEN), 400, malformed],
      [await admin.post(id, '/users', { api_key: 5 }), 400, malformed],
      [await admin.post(UNKNOWN_ID, '/users', {}), 404, notFound],
      [await admin.put(UNKNOWN_ID, taken, `/users/${a?.id}`), 404, notFound],
      [await admin.put(id, BROKEN, `/users/${UNKNOWN_ID}`), 400, malformed],
      [await admin.put(id, { roles: 'admin' }, `/users/${a?.id}`), 400, malformed],
      [await admin.put(id, taken, `/users/${UNKNOWN_ID}`), 404, userNotFound],
      [await admin.put(id, taken, `/users/${a?.id}`), 409, keyTaken('order-b')],
      [await admin.get(id, `/users/${UNKNOWN_ID}`), 404, userNotFound],
      [await admin.remove(id, `/users/${UNKNOWN_ID}`), 404, userNotFound],
      [await admin.post(id, `/users/${UNKNOWN_ID}/renew_api_key`, BROKEN), 404, userNotFound],
      [await admin.put(UNKNOWN_ID, { info: { name: 'roles' }, users: [taken] }), 404, notFound],
      [await admin.put(UNKNOWN_ID, {}, '/status'), 404, notFound],
      [await admin.put(id, BROKEN, '/status'), 400, malformed],
    ] as const)
      expectBody(answer, status, body);
  });

  it('show the user of another tenant only by its id', async () => {
    const [mine, theirs] = [await admin.created('mine'), await admin.created('theirs', user('t', 'their-key'))];
    const [stranger] = await admin.usersOf(theirs);
    const rest = `/users/${stranger?.id}`;
    for (const answer of [
      await admin.get(mine, rest),
      await admin.put(mine, { name: 'x' }, rest),
      await admin.remove(mine, rest),
      await admin.post(mine, `${rest}/renew_api_key`),
    ])
      expectBody(answer, 404, userNotFound);
    expect(await admin.usersOf(theirs)).toEqual([stranger]);
  });

  it('answer errors in XML to callers that ask for it, and everything else in JSON', async () => {
    const accept = 'application/xml';
    const id = await admin.created('xml', user('x', 'xml-x'));
    const missing = await scene.status.get(`/admin/tenants/${id}/users/${UNKNOWN_ID}`, { key: ADMIN, accept });
    expect([missing.status, missing.headers.get('content-type'), missing.text]).toEqual([
      404,
      'application/xml; charset=utf-8',
      '<root>\n <status>\n  <message>Not Found</message>\n  <code>404</code>\n  <details>item with the specific ID was not found on the server</details>\n </status>\n</root>',
    ]);
    for (const rest of ['', '/users', '/status']) {
      const read = await scene.status.get(`/admin/tenants/${id}${rest}`, { key: ADMIN, accept });
      expect([read.headers.get('content-type'), read.text]).toEqual([UTF8_JSON, (await admin.get(id, rest)).text]);
    }
  });

  it.each([
    '/admin/users:byID',
    '/admin/users:byID/',
    '/admin/users:byid/x',
    '/admin/users/x',
    '/admin/users::byID/x',
    '/admin/tenants//',
    '/admin/tenants/x/users/',
    '/admin/tenants/x/status/',
    '/admin/tenants/x/users/y/renew',
  ])('have no route at %s', async (path) => {
    const answer = await scene.status.get(path.replace('//', '/'), { key: ADMIN });
    expect([answer.status, answer.text]).toEqual([404, '404 page not found\n']);
  });

  it.each(['x'.repeat(3_000), '%00', '__proto__', '%F0%9F%8E%89', '%20'])('find no user by odd id no. %#', async (id) => {
    for (const path of [`/admin/tenants/${id}`, `/admin/tenants/${id}/users`, `/admin/tenants/${id}/status`, `/admin/users:byID/${id}`])
      expectBody(await scene.status.get(path, { key: ADMIN }), 404, notFound);
    expectBody(await admin.put(id, { name: 'n' }, '/users/x'), 404, notFound);
  });
});
