import { beforeAll, describe, expect, it } from '@jest/globals';
import { expectError } from '#test/e2e/expect-error.js';
import { serving } from '#test/e2e/serving.js';
import { listOf, malformed, nameTaken, pretty, sample, UNKNOWN_ID, UTF8_JSON } from '#test/e2e/status/contract.js';
import { ADMIN, embedded } from '#test/support/deployments.js';
import { idOf, registerTenant } from '#test/support/status-client.js';

const key = 'negotiation-admin';
const viewer = 'negotiation-viewer';
const BROKEN = '{"name":';
const IMAGE = 'image/png';

const xml = (...lines: readonly string[]): string => ['<root>', ...lines.map((line) => ` ${line}`), '</root>'].join('\n');
const xmlStatus = (message: string, code: number, details?: string): string[] => [
  '<status>',
  ` <message>${message}</message>`,
  ` <code>${code}</code>`,
  ...(details ? [` <details>${details}</details>`] : []),
  '</status>',
];
const xmlError = (message: string, code: number, details: string): string =>
  xml(
    ...xmlStatus(message, code),
    '<errors>',
    ' <error>',
    `  <message>${message}</message>`,
    `  <code>${code}</code>`,
    `  <details>${details}</details>`,
    ' </error>',
    '</errors>',
  );

describe('Accept, in the status service', () => {
  const scene = serving(embedded);
  let id: string;
  beforeAll(async () => {
    await registerTenant(scene.status, ADMIN, 'negotiation', ['admin', 'viewer']);
    id = idOf(await scene.status.post('/weights?date=2020-01-01', { key, body: sample('weights', 'known') }));
  });

  it.each([
    null,
    '*/*',
    'application/json',
    'application/*',
    'text/html, application/json;q=0.1',
    'application/json; charset=utf-8',
    'APPLICATION/JSON',
    'text/html, */*;q=0.1',
    'application/xml; q=0.5, application/json; charset=utf-8; q=0.6',
  ])('%s means JSON', async (accept) => {
    const answer = await scene.status.get('/weights?date=1999-01-01', { key, accept });
    expect([answer.status, answer.text, answer.headers.get('content-type')]).toEqual([200, pretty(listOf()), UTF8_JSON]);
    expectError(await scene.status.get('/weights', { accept }), 'unauthorized');
  });

  it.each([IMAGE, 'text/html, text/plain', 'application/json;q=0', 'application/json; q=0', 'nonsense'])(
    '%s is not acceptable',
    async (accept) => {
      expectError(await scene.status.get('/weights', { key, accept }), 'not acceptable');
    },
  );

  it.each(['application/xml', 'application/xml, application/json;q=0.5'])('%s gets errors as XML', async (accept) => {
    const details = "You need to provide a correct authentication token using the header 'x-api-key'".replaceAll("'", '&#39;');
    const taken = nameTaken('weights').errors[0]?.details ?? '';
    for (const [answer, status, text] of [
      [await scene.status.get('/weights', { accept }), 401, xml(...xmlStatus('Unauthorized', 401, details))],
      [await scene.status.post('/weights', { accept, key: viewer }), 403, xml(...xmlStatus('Access to the resource is Forbidden', 403))],
      [
        await scene.status.get('/weights?date=%3C%26%22', { accept, key }),
        400,
        xmlError('Bad Request', 400, 'date parameter value: &lt;&amp;&#34; is not in the valid form of YYYY-MM-DD'),
      ],
      [
        await scene.status.post('/weights', { accept, key, body: BROKEN }),
        400,
        xmlError('Bad Request', 400, malformed.errors[0]?.details ?? ''),
      ],
      [
        await scene.status.get(`/weights/${UNKNOWN_ID}`, { accept, key }),
        404,
        xmlError('Not Found', 404, 'item with the specific ID was not found on the server'),
      ],
      [await scene.status.post('/weights', { accept, key, body: sample('weights', 'known') }), 409, xmlError('Conflict', 409, taken)],
    ] as const)
      expect([answer.status, answer.text, answer.headers.get('content-type')]).toEqual([status, text, 'application/xml; charset=utf-8']);
  });

  it('application/xml gets everything else as JSON', async () => {
    const accept = 'application/xml';
    const read = await scene.status.get(`/weights/${id}`, { key, accept });
    expect([read.status, read.headers.get('content-type')]).toEqual([200, UTF8_JSON]);
    expect(read.text).toBe((await scene.status.get(`/weights/${id}`, { key })).text);
    const invalid = await scene.status.post('/operations_profiles', { key, accept, body: {} });
    expect([invalid.status, invalid.headers.get('content-type')]).toEqual([422, UTF8_JSON]);
    expect((await scene.status.post('/weights', { key, accept, body: sample('weights', 'under xml') })).json).toMatchObject({
      status: { code: '201' },
    });
  });
});
