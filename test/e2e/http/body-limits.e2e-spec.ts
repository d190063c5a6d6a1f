import { beforeAll, describe, expect, it } from '@jest/globals';
import { inProject, j3 } from '#test/e2e/messaging/calls.js';
import { serving } from '#test/e2e/serving.js';
import { malformed, pretty } from '#test/e2e/status/contract.js';
import { ADMIN, embedded, OPERATOR, SERVICE_TOKEN, SYSTEM_ADMIN } from '#test/support/deployments.js';
import { turnsDuring } from '#test/support/neighbours/event-loop-probe.js';
import { type Answer, registerTenant } from '#test/support/status-client.js';

const MIB = 1024 * 1024;
const key = 'limits-admin';
const status = { 'x-api-key': key };
const administrator = { 'x-api-key': ADMIN };
const messaging = { 'x-api-key': SERVICE_TOKEN };
const accounting = { authorization: `Bearer ${SYSTEM_ADMIN}`, 'content-type': 'application/json' };
const operations = { 'x-api-key': OPERATOR };

/** A body of at least so many bytes, made of a repeated piece. */
const repeated = (open: string, piece: string, bytes: number, close = ''): Buffer =>
  Buffer.concat([Buffer.from(open), Buffer.alloc(Math.ceil(bytes / piece.length) * piece.length, piece), Buffer.from(close)]);

type Case = readonly [method: string, path: string, headers: Readonly<Record<string, string>>];
const WEIGHTS: Case = ['POST', '/api/v2/weights', status];
const TOPOLOGY: Case = ['POST', '/api/v2/topology/endpoints', status];
const DOWNTIMES: Case = ['POST', '/api/v2/downtimes', status];
const METRIC_DATA: Case = ['POST', '/api/v2/metric_data', status];
const METRIC_LINES: Case = ['POST', '/api/v2/metric_data', { ...status, 'content-type': 'application/x-ndjson' }];
const REPORTS: Case = ['POST', '/api/v2/reports', status];
const METRIC_LIST: Case = ['PUT', '/api/v2/admin/metrics', administrator];
const PUBLISH: Case = ['POST', '/v1/projects/p/topics/t:publish', messaging];
const ACKNOWLEDGE: Case = ['POST', '/v1/projects/p/subscriptions/s:acknowledge', messaging];
const SCHEMA: Case = ['POST', '/v1/projects/p/schemas/new', messaging];
const SEARCH: Case = ['POST', '/accounting-system/projects/search', accounting];
const PROJECT: Case = ['POST', '/accounting-system/admin/projects', accounting];
const KEYS: Case = ['POST', '/ops/keys', operations];

const PUBLISH_ERROR = { error: { code: 413, message: 'Message size is too large', status: 'INVALID_ARGUMENT' } };
const BODY_ERROR = { error: { code: 400, message: 'Invalid Request Body', status: 'BAD_REQUEST' } };

/** Expects the answer of the service beyond a limit. */
const expectRefused = (path: string, answer: Answer, problem: RegExp): void => {
  if (path.startsWith('/api/v2')) expect([answer.status, answer.text]).toEqual([400, pretty(malformed)]);
  else if (path.endsWith(':publish')) expect([answer.status, answer.text]).toEqual([413, j3(PUBLISH_ERROR)]);
  else if (path.startsWith('/v1')) expect([answer.status, answer.text]).toEqual([400, j3(BODY_ERROR)]);
  else if (path.startsWith('/accounting'))
    expect([answer.status, answer.json]).toEqual([413, { code: 413, message: expect.stringMatching(problem) }]);
  else expect([answer.status, answer.json]).toMatchObject([413, { status: 413, detail: expect.stringMatching(problem) }]);
};

describe('limits of bodies', () => {
  const scene = serving(embedded, { LOGBOOK_ROLES: 'api,projector' });
  beforeAll(async () => {
    await registerTenant(scene.status, ADMIN, 'limits', ['admin']);
    const admin = inProject(scene, 'p');
    await admin.call('POST', '', {});
    await admin.topic('t');
    await admin.subscription('s', 't');
  });
  const send = ([method, path, headers]: Case, body: Buffer, framing: Readonly<Record<string, string>> = {}): Promise<Answer> =>
    scene.root.call(method, path, { body, headers: { ...headers, ...framing } });

  it.each<[route: Case, bytes: number]>([
    [WEIGHTS, 8 * MIB],
    [REPORTS, MIB],
    [TOPOLOGY, 64 * MIB],
    [METRIC_DATA, 64 * MIB],
    [PUBLISH, 64 * MIB],
    [ACKNOWLEDGE, 8 * MIB],
    [SCHEMA, 4 * MIB],
    [SEARCH, 32 * MIB],
    [PROJECT, 64 * 1024],
    [KEYS, 16 * 1024],
  ])('hold for bytes, announced or not: %j %i', async (route, bytes) => {
    const body = Buffer.alloc(bytes + 1, ' ');
    expectRefused(route[1], await send(route, body), /too large/);
    expectRefused(route[1], await send(route, body, { 'transfer-encoding': 'chunked' }), /too large|too long/);
    const within = await send(route, Buffer.alloc(Math.min(bytes, MIB - 1), ' '));
    expect([within.status, /too large/.test(within.text)]).toEqual([400, false]);
  });

  it.each<[route: Case, values: number]>([
    [WEIGHTS, 500_000],
    [REPORTS, 50_000],
    [TOPOLOGY, 2_000_000],
    [DOWNTIMES, 2_000_000],
    [METRIC_DATA, 4_000_000],
    [METRIC_LINES, 4_000_000],
    [METRIC_LIST, 500_000],
    [PUBLISH, 500_000],
    [ACKNOWLEDGE, 500_000],
    [SCHEMA, 150_000],
    [SEARCH, 1_000_000],
    [PROJECT, 10_000],
    [KEYS, 100],
  ])('hold for the number of values: %j %i', async (route, values) => {
    const [open, separator] = route === METRIC_LINES ? ['', '\n'] : ['[', ','];
    for (const piece of values > 500_000 ? ['[]'] : ['[]', '0', '{}'])
      expectRefused(route[1], await send(route, repeated(open, piece + separator, (values + 1) * (piece.length + 1))), /too many/);
  });

  it.each<Case>([WEIGHTS, REPORTS, TOPOLOGY, METRIC_DATA, METRIC_LINES, METRIC_LIST, PUBLISH, ACKNOWLEDGE, PROJECT])(
    'hold for levels: %s %s',
    async (...route) => {
      const bytes = route[1] === PROJECT[1] ? 60_000 : 100_000;
      for (const open of ['[', '{"a":']) expectRefused(route[1], await send(route, repeated('', open, bytes)), /too deep/);
    },
  );

  it('hold for levels of the operations API', async () => {
    const deep = `${'{"a":'.repeat(2_500)}1${'}'.repeat(2_500)}`;
    expectRefused(KEYS[1], await send(KEYS, Buffer.from(deep)), /too deep/);
  });

  it.each<[route: Case, bytes: number]>([
    [WEIGHTS, MIB],
    [TOPOLOGY, MIB],
    [METRIC_DATA, 4 * MIB],
    [METRIC_LINES, 4 * MIB],
    [PUBLISH, 12 * MIB],
    [SEARCH, MIB],
  ])('hold for texts, numbers and blanks: %j %i', async (route, bytes) => {
    for (const [open, piece] of [
      ['["', 'x'],
      ['{"', 'x'],
      ['[', '1'],
      ['[', ' '],
    ] as const)
      expectRefused(route[1], await send(route, repeated(open, piece, bytes + 1)), /too long/);
  });

  it('leave room for what clients send', async () => {
    const day = '?date=2020-02-02';
    const endpoint = {
      group: 'SITE',
      type: 'SITES',
      service: 'service',
      tags: { monitored: '1', production: '1', scope: 'EGI', info_URL: 'https://x' },
    };
    const items = Array.from({ length: 20_000 }, (_, index) => ({ ...endpoint, hostname: `host-${index}.example.org` }));
    const stored = await send(['POST', `${TOPOLOGY[1]}${day}`, status], Buffer.from(JSON.stringify(items)));
    expect([stored.status, stored.json]).toEqual([
      201,
      { message: `Topology of 20000 endpoints created for date: 2020-02-02`, code: '201' },
    ]);
    const message = { data: 'A'.repeat(10 * MIB), attributes: { a: 'b' } };
    expect((await send(PUBLISH, Buffer.from(JSON.stringify({ messages: [message, message, message] })))).status).toBe(200);
  });

  it('count nothing of what is no JSON, which the call finds wrong itself', async () => {
    const nonsense = repeated('x[', '[],', 3 * MIB);
    expect((await send(PUBLISH, nonsense)).text).toContain('Invalid Message Arguments');
    expect((await send(ACKNOWLEDGE, nonsense)).text).toContain('Invalid ack parameter');
    expect((await send(SEARCH, nonsense)).text).toContain('HTTP 400 Bad Request');
  });

  it.each<[what: string, route: Case, body: () => Buffer]>([
    ['1,990,000 values in an unknown member', TOPOLOGY, () => repeated('[{"x":[', '[],', 1_990_000 * 3, '1]},1]')],
    ['300,000 items with a wrong one at the end', TOPOLOGY, () => repeated('[', '{"group":"g"},', 4_200_000, '{"group":1}]')],
    ['a wrong text behind 60 MiB of texts', PUBLISH, () => repeated('{"x":["', `${'x'.repeat(1_000)}","`, 60 * MIB, '"],"messages":1}')],
    [
      '490,000 attributes and a wrong one',
      PUBLISH,
      () => repeated('{"messages":[{"attributes":{"a":""', ',"b":"c"', 3_920_000, ',"d":1}}]}'),
    ],
    ['490,000 wrong ids', ACKNOWLEDGE, () => repeated('{"ackIds":["a"', ',"b"', 1_960_000, ',1]}')],
    ['1,000,000 values that are no search', SEARCH, () => repeated('[', '0,', 1_999_980, '0]')],
    ['3,900,000 metric results that are none', METRIC_DATA, () => repeated('[', '1,', 7_800_000, '1]')],
  ])('let neighbours have their answers meanwhile: %s', async (_what, route, make) => {
    const body = make();
    // Several times, because one of the smaller ones is over before a neighbour has sent anything.
    const answer = send(route, body)
      .then(() => send(route, body))
      .then(() => send(route, body));
    const answers = await turnsDuring(scene.root, answer);
    expect([400, 422]).toContain((await answer).status);
    expect(answers).toBeGreaterThan(0); // how long they wait is measured by `npm run test:attack`
  });
});
