import { describe, expect, it } from '@jest/globals';
import type { AccountingCall } from '#test/support/accounting/accounting-client.js';
import { embedded } from '#test/support/deployments.js';
import type { Answer } from '#test/support/status-client.js';
import { accountingServing, expectMessage, FORBIDDEN, UNKNOWN_OBJECT_ID } from './serving.js';

const UNKNOWN_BELOW = 'Unable to find matching target resource method';
const UNKNOWN_ROOT = 'HTTP 404 Not Found';
const WRONG_METHOD = 'HTTP 405 Method Not Allowed';
const ENTITLEMENTS = '/admin/entitlements';

const expectUnauthorized = (answer: Answer): void => {
  expect([answer.status, answer.headers.get('www-authenticate'), answer.headers.get('content-type')]).toEqual([
    401,
    'Bearer',
    'application/json; charset=utf-8',
  ]);
  expect(answer.json).toEqual({ code: 401, message: expect.stringMatching(/./) });
};

describe('the edge of the accounting service', () => {
  const scene = accountingServing(embedded);

  describe('without a valid token answers 401, whatever else is wrong', () => {
    it.each<[method: string, path: string, call: AccountingCall]>([
      ['GET', '/operands', {}],
      ['GET', '/admin/entitlements', {}],
      ['GET', '', {}],
      ['GET', '/nosuch', {}],
      ['GET', '/admin/nosuch', {}],
      ['GET', `/admin/entitlements/${UNKNOWN_OBJECT_ID}`, {}],
      ['DELETE', '/operands', {}],
      ['POST', '/admin/entitlements', { body: '{"name"', contentType: 'text/plain' }],
      ['POST', '/admin/entitlements', { body: '{"name"' }],
      ['POST', '/admin/entitlements', {}],
      ['GET', '/operands?page=0', { accept: 'text/html' }],
      ['GET', '/projects/%ZZ', {}],
    ])('%s %s %j', async (method, path, call) => {
      expectUnauthorized(await scene.anonymous.call(method, path, call));
      expectUnauthorized(await scene.withToken('nonsense').call(method, path, call));
    });

    it.each([
      'Basic dXNlcjpwYXNz',
      'Bearer',
      'Bearer ',
      'nonsense',
      'Bearer a b',
      'Bearer a.b.c',
      'Token accounting-system-administrator',
      'accounting-system-administrator',
      'Bearer ACCOUNTING-SYSTEM-ADMINISTRATOR',
      'Bearer status-administrator',
      'Bearer operations-key',
    ])('Authorization: %s', async (authorization) =>
      expectUnauthorized(await scene.anonymous.get('/operands', { headers: { authorization } })),
    );

    it('in the query or another header', async () => {
      const token = 'accounting-system-administrator';
      expectUnauthorized(await scene.anonymous.get(`/operands?access_token=${token}`));
      expectUnauthorized(await scene.anonymous.get('/operands', { headers: { 'x-api-key': token } }));
    });

    it('takes the scheme in any letter case', async () => {
      const headers = { authorization: 'bEARER accounting-system-administrator' };
      expect((await scene.anonymous.get('/operands', { headers })).status).toBe(200);
    });
  });

  describe('answers for paths and methods that are not there', () => {
    it.each<[method: string, path: string, code: number, message: string]>([
      ['GET', '', 404, UNKNOWN_ROOT],
      ['GET', '/nosuch', 404, UNKNOWN_ROOT],
      ['GET', '/nosuch/admin', 404, UNKNOWN_ROOT],
      ['GET', '/Operands', 404, UNKNOWN_ROOT],
      ['POST', '/nosuch', 404, UNKNOWN_ROOT],
      ['GET', '/admin', 404, UNKNOWN_BELOW],
      ['GET', '/admin/nosuch', 404, UNKNOWN_BELOW],
      ['GET', '/operands/eq', 404, UNKNOWN_BELOW],
      ['GET', '/clients/nosuch', 404, UNKNOWN_BELOW],
      ['GET', '/admin/entitlements//assign', 404, UNKNOWN_BELOW],
      ['POST', '/admin/entitlements//assign/x', 404, UNKNOWN_BELOW],
      ['GET', '/admin/entitlements/a%2Fb', 404, 'There is no entitlement with the following id: a/b'],
      ['DELETE', '/operands', 405, WRONG_METHOD],
      ['PUT', '/admin/entitlements', 405, WRONG_METHOD],
      ['GET', '/clients', 405, WRONG_METHOD],
      ['GET', '/admin/settings/ENTITLEMENTS_MANAGEMENT', 405, WRONG_METHOD],
      ['GET', `/admin/entitlements/${UNKNOWN_OBJECT_ID}/assign/${UNKNOWN_OBJECT_ID}`, 405, WRONG_METHOD],
      ['DELETE', '/admin/actors', 405, WRONG_METHOD],
      ['HEAD', '/operands', 405, ''],
    ])('%s %s: %i', async (method, path, code, message) => {
      const answer = await scene.admin.call(method, path);
      if (message) expectMessage(answer, code, message);
      else expect(answer.status).toBe(code);
      expect(answer.headers.has('allow')).toBe(code === 405);
    });

    it('names the methods that a path has, but not to anybody', async () => {
      expect((await scene.anonymous.put(ENTITLEMENTS)).headers.has('allow')).toBe(false);
      const answer = await scene.admin.put(ENTITLEMENTS);
      expect(answer.headers.get('allow')?.split(', ').sort()).toEqual(['GET', 'POST']);
    });

    it('takes a slash at the end of a path', async () => {
      expect((await scene.admin.get('/operands/')).status).toBe(200);
      expect((await scene.admin.get(`${ENTITLEMENTS}/?page=1`)).status).toBe(200);
    });

    it('leaves the paths of others alone', async () => {
      const answer = await scene.root.get('/accounting-systems/operands');
      expect([answer.status, answer.headers.get('content-type')]).toEqual([404, expect.stringContaining('problem+json')]);
    });
  });

  describe('looks at media types', () => {
    const UNSUPPORTED = 'Cannot consume content type.';
    it.each([
      ['application/json', true],
      ['application/json; charset=utf-8', true],
      ['APPLICATION/JSON;charset=UTF-8', true],
      [null, true],
      ['text/plain', false],
      ['application/xml', false],
      ['application/jsonp', false],
      ['application/x-www-form-urlencoded', false],
      ['nonsense', false],
    ])('Content-Type: %s', async (contentType, taken) => {
      const answer = await scene.admin.post(ENTITLEMENTS, { name: `typed ${contentType}` }, { contentType });
      if (taken) expect(answer.status).toBe(201);
      else expectMessage(answer, 415, UNSUPPORTED);
    });

    it.each([
      ['POST', '/clients'],
      ['POST', ENTITLEMENTS],
      ['PATCH', `${ENTITLEMENTS}/${UNKNOWN_OBJECT_ID}`],
      ['PUT', '/admin/settings/ENTITLEMENTS_MANAGEMENT'],
      ['POST', '/admin/oidc-tenants'],
      ['PATCH', `/admin/oidc-tenants/${UNKNOWN_OBJECT_ID}`],
      ['GET', '/admin/actors'],
    ])('%s %s takes JSON only, and says so before 403', async (method, path) => {
      const nobody = await scene.caller('nobody');
      for (const client of [scene.admin, nobody]) {
        expectMessage(await client.call(method, path, { contentType: 'text/plain', body: 'x' }), 415, UNSUPPORTED);
      }
    });

    it.each([
      ['POST', `${ENTITLEMENTS}/${UNKNOWN_OBJECT_ID}/assign/${UNKNOWN_OBJECT_ID}`],
      ['POST', `${ENTITLEMENTS}/${UNKNOWN_OBJECT_ID}/dissociate/${UNKNOWN_OBJECT_ID}`],
      ['DELETE', `${ENTITLEMENTS}/${UNKNOWN_OBJECT_ID}`],
      ['GET', `${ENTITLEMENTS}/${UNKNOWN_OBJECT_ID}`],
    ])('%s %s takes any', async (method, path) => {
      const answer = await scene.admin.call(method, path, { contentType: 'text/plain', body: 'x' });
      expectMessage(answer, 404, `There is no entitlement with the following id: ${UNKNOWN_OBJECT_ID}`);
    });

    it.each([
      [null, 200],
      ['*/*', 200],
      ['application/*', 200],
      ['application/json; charset=utf-8', 200],
      ['text/html, application/json;q=0.5', 200],
      ['text/html', 406],
      ['application/xml', 406],
      ['application/json;q=0', 406],
    ])('Accept: %s answers %i', async (accept, status) => {
      const answer = await scene.admin.get('/operands', { accept });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'application/json; charset=utf-8']);
      if (status === 406) expect(answer.json).toEqual({ code: 406, message: expect.any(String) });
    });
  });

  describe('reads bodies', () => {
    const create = (body: unknown) => scene.admin.post(ENTITLEMENTS, body);

    it.each(['', ' \n', 'null', ' null '])('%j is empty', async (body) => {
      expectMessage(await create(body), 400, 'The request body is empty.');
      expectMessage(await (await scene.caller('nobody')).post(ENTITLEMENTS, body), 403, FORBIDDEN);
    });

    it.each(['{"name"', '{"name":"x"} y', '[]', '[{"name":"x"}]', '"x"', '1', 'true', '{"name":{}}', '{"name":["x"]}', "{'name':'x'}"])(
      '%j is malformed, and that comes before 403',
      async (body) => {
        for (const client of [scene.admin, await scene.caller('nobody')]) {
          const answer = await client.post(ENTITLEMENTS, body);
          expect([answer.status, answer.json]).toEqual([400, { code: 400, message: expect.stringMatching(/./) }]);
        }
      },
    );

    it.each([
      ['{"name":12.50}', '12.50'],
      ['{"name":1e3}', '1e3'],
      ['{"name":12345678901234567890}', '12345678901234567890'],
      ['{"name":true}', 'true'],
      ['{"name":"a","name":"b"}', 'b'],
      ['{"Name":"a","name":"c"}', 'c'],
      ['{"other":[{"name":"a"}],"name":"d","__proto__":{"name":"a"}}', 'd'],
      ['{"name":"\\u00e9 \\"q\\" ☃"}', 'é "q" ☃'],
    ])('%s has the name %j', async (body, name) => {
      const { id } = (await create(body)).json as { id: string };
      expect((await scene.admin.get(`${ENTITLEMENTS}/${id}`)).json).toMatchObject({ id, name });
    });

    it.each(['{}', '{"name":null}', '{"name":""}', '{"NAME":"x"}', '{"name":"x","name":null}'])('%s has no name', async (body) =>
      expectMessage(await create(body), 400, 'name may not be empty.'),
    );
  });

  describe('remembers idempotency keys', () => {
    const create = (name: string, key: string) => scene.admin.post(ENTITLEMENTS, { name }, { headers: { 'idempotency-key': key } });

    it('answers a repeat as it did at first, and refuses another body', async () => {
      const first = await create('intended', 'k1');
      expect(first.status).toBe(201);
      const again = await create('intended', 'k1');
      expect([again.status, again.text, again.headers.get('location')]).toEqual([201, first.text, first.headers.get('location')]);
      expectMessage(await create('other', 'k1'), 422, 'The Idempotency-Key was used before with another request body.');
      expect((await create('other', 'k2')).status).toBe(201);
    });
  });
});
