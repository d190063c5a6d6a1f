import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PastSources } from '#api/shared/as-of/time-of-call.js';
import { issueKey } from '#test/e2e/serving.js';
import { openPastLab, type PastLab, pastThat } from '#test/support/as-of/past-lab.js';
import { SERVICE, SUPER, SYSTEM } from '#test/support/as-of/world.js';
import { type Deployment, embedded, OPERATOR } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import type { Answer } from '#test/support/status-client.js';

type Headers = Readonly<Record<string, string>>;

const HOUR = 3_600_000;

describe('reads as of the past', () => {
  let deployment: Deployment;
  let lab: PastLab;
  beforeAll(async () => {
    deployment = await embedded();
    lab = await openPastLab(deployment);
  });
  afterAll(async () => {
    await lab?.close();
    await deployment?.dispose();
  });

  const read = (path: string, headers: Headers, asOf?: string) =>
    lab.http.get(path, { headers: asOf === undefined ? headers : { ...headers, 'logbook-as-of': asOf } });
  const done = async (answer: Promise<Answer>): Promise<Answer> => {
    const { status, text } = await answer;
    if (status >= 300) throw new Error(`${status} ${text}`);
    return answer;
  };
  const describeProject = (name: string, description: string, method = 'PUT') =>
    done(lab.http.call(method, `/v1/projects/${name}`, { headers: SERVICE, body: { description } }));
  const laterOn = async (work: () => Promise<unknown>) => {
    lab.advance(HOUR);
    await work();
    return lab.settled();
  };
  const descriptionIn = ({ json }: Answer) => (json as { description?: string }).description;
  const shown = (answer: Answer) => [answer.status, answer.headers.get('logbook-as-of'), answer.headers.get('logbook-as-of-time')];

  describe('the moment', () => {
    it('is the last event up to an instant or a position, and every answer names it', async () => {
      const first = await laterOn(() => describeProject('dated', 'first', 'POST'));
      const second = await laterOn(() => describeProject('dated', 'second'));
      lab.advance(10 * HOUR);
      const path = '/v1/projects/dated';
      for (const asOf of [`${first.position}`, first.time, new Date(Date.parse(first.time) + HOUR / 2).toISOString()]) {
        const answer = await read(path, SERVICE, asOf);
        expect([...shown(answer), descriptionIn(answer)]).toEqual([200, `${first.position}`, first.time, 'first']);
        expect(answer.headers.get('vary')).toBe('Logbook-As-Of');
      }
      const latest = await read(path, SERVICE, new Date(Date.parse(second.time) + HOUR).toISOString());
      expect([...shown(latest), descriptionIn(latest)]).toEqual([200, `${second.position}`, second.time, 'second']);
      const plain = await read(path, SERVICE);
      expect([...shown(plain), plain.headers.get('vary')]).toEqual([200, null, null, null]);
    });

    it('is never inside what a call has appended at once: such a position shows what was before', async () => {
      const topic = '/v1/projects/steps/topics/t';
      await done(lab.http.post('/v1/projects/steps', { headers: SERVICE, body: {} }));
      const subscription = '/v1/projects/steps/subscriptions/s';
      await done(lab.http.put(topic, { headers: SERVICE, body: {} }));
      const before = await laterOn(() =>
        done(lab.http.put(subscription, { headers: SERVICE, body: { topic: 'projects/steps/topics/t' } })),
      );
      const messages = Array(3).fill({ data: 'eA==' });
      const after = await laterOn(() => done(lab.http.post(`${topic}:publish`, { headers: SERVICE, body: { messages } })));
      for (const [back, moment, count] of [
        [3n, before, 0],
        [2n, before, 0],
        [1n, before, 0],
        [0n, after, 3],
      ] as const) {
        const answer = await read(`${topic}:metrics`, SERVICE, `${after.position - back}`);
        expect([back, ...shown(answer)]).toEqual([back, 200, `${moment.position}`, moment.time]);
        const { metrics } = answer.json as { metrics: readonly { metric: string; timeseries: readonly { value: number }[] }[] };
        const found = metrics.find(({ metric }) => metric === 'topic.number_of_messages');
        expect([back, found?.timeseries[0]?.value]).toEqual([back, count]);
        const offsets = await read(`${subscription}:offsets`, SERVICE, `${after.position - back}`);
        expect([back, offsets.json]).toEqual([back, { max: count, min: 0, current: 0 }]);
        const since = await read(`${subscription}:timeToOffset?time=${before.time}`, SERVICE, `${after.position - back}`);
        expect([back, since.status]).toEqual([back, count > 0 ? 200 : 409]);
      }
    });

    it('before the first event shows an empty installation', async () => {
      for (const asOf of ['0', '2001-01-01T00:00:00Z']) {
        expect(shown(await read('/v1/projects/dated', SERVICE, asOf))).toEqual([404, '0', null]);
        const tenants = await read('/api/v2/admin/tenants', SUPER, asOf);
        expect([...shown(tenants), (tenants.json as { data: unknown }).data]).toEqual([200, '0', null, []]);
        const projects = await read('/accounting-system/admin/projects', SYSTEM, asOf);
        expect([...shown(projects), (projects.json as { total_elements: unknown }).total_elements]).toEqual([200, '0', null, 0]);
      }
    });

    it('stands still: windows and today are those of then', async () => {
      const { position, time } = await laterOn(() => describeProject('timed', 'x', 'POST'));
      const instant = new Date(Date.parse(time) + 30 * 60_000).toISOString();
      lab.advance(HOUR);
      for (const [asOf, clock] of [
        [`${position}`, time],
        [instant, instant],
      ] as const) {
        const { text } = await read('/v1/projects/timed:metrics', SERVICE, asOf);
        expect([...text.matchAll(/"timestamp": "([^"]*)"/g)].map(([, at]) => at)).toEqual(
          Array.from({ length: 2 }, () => `${clock.slice(0, 19)}Z`),
        );
      }
    });

    it('is as old in /health as the oldest event that the history lacks, whatever the history says of itself', async () => {
      const own = await embedded();
      let position = 0n;
      const recorded = pastThat((history) => ({ status: () => ({ ...history.status(), position }) }));
      const other = await openPastLab(own, {}, recorded);
      const lagSeconds = async () => ((await other.http.get('/health')).json as { history: { lagSeconds: number } }).history.lagSeconds;
      await done(other.http.post('/v1/projects/late', { headers: SERVICE, body: {} }));
      const before = await eventually(lagSeconds).until((lag) => lag > 0);
      await eventually(lagSeconds).until((lag) => lag > before); // looked at once a second
      const caughtUp = async () => {
        ({ position } = await other.settled());
        return lagSeconds();
      };
      await eventually(caughtUp).until((lag) => lag === 0);
      await other.close();
      await own.dispose();
    });

    it('is waited for, then refused: 503, or 410 when it is lost, or 503 on a node without history', async () => {
      const withHistory = async (reach: () => Promise<'behind' | 'lost'>) => {
        const own = await embedded();
        const recorded = pastThat(() => ({ reach }));
        const other = await openPastLab(own, {}, recorded);
        try {
          return await other.http.get('/v1/projects', { headers: { ...SERVICE, 'logbook-as-of': '1' }, mayBeBehind: true });
        } finally {
          await other.close();
          await own.dispose();
        }
      };
      const behind = await withHistory(async () => 'behind');
      expect([behind.status, behind.headers.get('retry-after')]).toEqual([503, '1']);
      expect((await withHistory(async () => 'lost')).status).toBe(410);
      const own = await embedded();
      const none = await openPastLab(own, {}, () => undefined);
      const answers = [
        await none.http.get('/v1/projects', { headers: { ...SERVICE, 'logbook-as-of': '1' } }),
        await none.http.get('/api/v2/admin/tenants', { headers: { ...SUPER, 'logbook-as-of': '1' } }),
        await none.http.get('/accounting-system/admin/projects', { headers: { ...SYSTEM, 'logbook-as-of': '1' } }),
      ];
      expect((await none.http.get('/health')).json).toMatchObject({ history: { status: 'off' } });
      await none.close();
      await own.dispose();
      for (const { status, text } of answers) expect([status, text.includes('keeps no history')]).toEqual([503, true]);
    });

    it('is refused, not said to be missing, while the history cannot show a project that is gone by now', async () => {
      let reached: Awaited<ReturnType<PastSources['history']['reach']>> = 'behind';
      const own = await embedded();
      const recorded = pastThat(() => ({ reach: async () => reached }));
      const other = await openPastLab(own, {}, recorded);
      const project = (name: string) => `/v1/projects/${encodeURIComponent(name)}`;
      const names = ['gone', 'odd name'];
      const member = { email: 'm@x.org', projects: [{ project: 'gone', roles: ['project_admin'] }] };
      for (const name of ['gone', 'plain']) await done(other.http.post(project(name), { headers: SERVICE, body: {} }));
      await done(other.http.put(project('plain'), { headers: SERVICE, body: { name: 'odd name' } }));
      const { token } = (await done(other.http.post('/v1/users/member', { headers: SERVICE, body: member }))).json as { token: string };
      const { position } = await other.settled();
      for (const name of names) await done(other.http.delete(project(name), { headers: SERVICE }));
      await other.settled();
      const statuses = async (headers: Headers) => {
        const asOf = { ...headers, 'logbook-as-of': `${position}` };
        return Promise.all(names.map(async (name) => (await other.http.get(project(name), { headers: asOf, mayBeBehind: true })).status));
      };
      expect(await statuses(SERVICE)).toEqual([503, 503]);
      expect(await statuses({ 'x-api-key': token })).toEqual([503, 503]);
      expect(await statuses({})).toEqual([401, 400]);
      reached = 'lost';
      expect(await statuses(SERVICE)).toEqual([410, 410]);
      reached = 'reached';
      expect(await statuses(SERVICE)).toEqual([200, 200]);
      expect(await statuses({ 'x-api-key': token })).toEqual([401, 400]); // the membership is gone, too
      await other.close();
      await own.dispose();
    });
  });

  it('are refused only where they read from a projection that cannot show the moment', async () => {
    const own = await embedded();
    const reach: PastSources['history']['reach'] = async (_position, _timeoutMs, projection) =>
      projection === 'messaging.counters' ? 'lost' : 'reached';
    const recorded = pastThat(() => ({ reach }));
    const other = await openPastLab(own, {}, recorded);
    const project = '/v1/projects/partly';
    await done(other.http.post(project, { headers: SERVICE, body: {} }));
    await done(other.http.put(`${project}/topics/t`, { headers: SERVICE, body: {} }));
    await done(other.http.put(`${project}/subscriptions/s`, { headers: SERVICE, body: { topic: 'projects/partly/topics/t' } }));
    const { position } = await other.settled();
    const statusOf = async (path: string) =>
      (await other.http.get(path, { headers: { ...SERVICE, 'logbook-as-of': `${position}` } })).status;
    for (const path of [
      '/v1/projects',
      project,
      '/v1/users',
      `${project}/topics/t:acl`,
      `${project}/subscriptions/s`,
      `${project}/schemas`,
    ])
      expect([path, await statusOf(path)]).toEqual([path, 200]);
    for (const path of [`${project}/subscriptions/s:offsets`, `${project}/topics/t:metrics`, `${project}:metrics`])
      expect([path, await statusOf(path)]).toEqual([path, 410]);
    await other.close();
    await own.dispose();
  });

  describe('what is wrong with the header', () => {
    const readings = [
      ['/v1/projects', SERVICE, (message: string) => ({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } })],
      [
        '/api/v2/admin/tenants',
        SUPER,
        (details: string) => ({
          status: { message: 'Bad Request', code: '400' },
          errors: [{ message: 'Bad Request', code: '400', details }],
        }),
      ],
      ['/accounting-system/admin/projects', SYSTEM, (message: string) => ({ code: 400, message })],
    ] as const;

    it.each(readings)('is told in the shape of the service: %s', async (path, headers, bodyOf) => {
      const future = new Date(Date.now() + 100 * 365 * 24 * HOUR).toISOString();
      for (const [asOf, message] of [
        ['yesterday', 'Logbook-As-Of is neither an instant such as 2024-01-15T12:00:00Z nor a position of the log'],
        ['', 'Logbook-As-Of is neither an instant such as 2024-01-15T12:00:00Z nor a position of the log'],
        ['1000000000', 'Logbook-As-Of is a position beyond the head of the log'],
        [future, 'Logbook-As-Of is an instant in the future'],
      ] as const) {
        const answer = await read(path, headers, asOf);
        expect([asOf, ...shown(answer), answer.json]).toEqual([asOf, 400, null, null, bodyOf(message)]);
      }
    });

    it('comes after 401 and 403, and after unknown paths', async () => {
      for (const [path] of readings) expect((await read(path, {}, 'x')).status).toBe(401);
      const { key } = await issueKey(lab.http, 'status', 'super_admin_restricted');
      await lab.settled();
      const tenants = await read('/api/v2/admin/tenants/1/users', { 'x-api-key': key }, 'x');
      expect([tenants.status, tenants.headers.get('logbook-as-of')]).toEqual([403, null]);
      expect((await read('/v1/nothing', SERVICE, 'x')).status).toBe(404);
      expect((await read('/api/v2/nothing', SUPER, 'x')).status).toBe(404);
      expect((await read('/accounting-system/nothing', SYSTEM, 'x')).status).toBe(404);
    });

    it('is an error for everything that is no read, and nothing is written', async () => {
      const { position } = await lab.settled();
      const asOf = { 'logbook-as-of': `${position}` };
      for (const [method, path, headers] of [
        ['POST', '/v1/projects/unwritten', SERVICE],
        ['DELETE', '/v1/projects/dated', SERVICE],
        ['POST', '/api/v2/admin/tenants', SUPER],
        ['POST', '/accounting-system/providers', SYSTEM],
      ] as const) {
        const { status } = await lab.http.call(method, path, {
          headers: { ...headers, ...asOf },
          body: method === 'POST' ? {} : undefined,
        });
        expect([path, status]).toEqual([path, 400]);
      }
      expect((await lab.settled()).position).toBe(position);
    });
  });

  describe('rights', () => {
    it('are those of now: members, roles and ACLs', async () => {
      const call = (method: string, path: string, body: unknown) => done(lab.http.call(method, path, { headers: SERVICE, body }));
      await describeProject('acl', 'x', 'POST');
      const make = async (name: string) =>
        (
          (await call('POST', `/v1/users/${name}`, { email: `${name}@x.org`, projects: [{ project: 'acl', roles: ['publisher'] }] }))
            .json as {
            token: string;
          }
        ).token;
      const [early, late] = [await make('early'), await make('late')];
      for (const topic of ['one', 'two']) {
        await call('PUT', `/v1/projects/acl/topics/${topic}`, {});
        await call('POST', `/v1/projects/acl/topics/${topic}:modifyAcl`, { authorized_users: ['early'] });
      }
      const then = `${(await lab.settled()).position}`;
      await call('POST', '/v1/projects/acl/topics/one:modifyAcl', { authorized_users: ['late'] });
      await call('PUT', '/v1/projects/acl/topics/three', {});
      await call('POST', '/v1/projects/acl/topics/three:modifyAcl', { authorized_users: ['late', 'early'] });
      await lab.settled();
      const topics = async (key: string, query = '') => {
        const { json } = await read(`/v1/projects/acl/topics${query}`, { 'x-api-key': key }, then);
        const { topics: found, totalSize } = json as { topics: { name: string }[]; totalSize: number };
        return [found.map(({ name }) => name.split('/').at(-1)), totalSize];
      };
      expect(await topics(early)).toEqual([['two'], 1]);
      expect(await topics(late)).toEqual([['one'], 1]);
      expect(await topics(early, '?pageSize=1')).toEqual([['two'], 1]);
      const metrics = async (key: string, topic: string) =>
        (await read(`/v1/projects/acl/topics/${topic}:metrics`, { 'x-api-key': key }, then)).status;
      expect([await metrics(early, 'one'), await metrics(late, 'one')]).toEqual([403, 200]);
      // The data themselves are those of then.
      const acl = await read('/v1/projects/acl/topics/one:acl', SERVICE, then);
      expect(acl.json).toEqual({ authorized_users: ['early'] });
      await call('DELETE', '/v1/users/early', undefined);
      await lab.settled();
      expect((await read('/v1/projects/acl/topics', { 'x-api-key': early }, then)).status).toBe(401);
    });

    it('reach what is gone, or was called otherwise', async () => {
      const { position } = await laterOn(() => describeProject('mortal', 'alive', 'POST'));
      await done(lab.http.delete('/v1/projects/mortal', { headers: SERVICE }));
      await lab.settled();
      expect((await read('/v1/projects/mortal', SERVICE)).status).toBe(404);
      expect(descriptionIn(await read('/v1/projects/mortal', SERVICE, `${position}`))).toBe('alive');
    });
  });

  describe('auditors', () => {
    const NAME = 'an auditor';
    let auditor: Headers = {};
    let tenantId = '';
    let position = 0n;
    beforeAll(async () => {
      auditor = { 'x-api-key': (await issueKey(lab.http, 'ops', 'auditor', NAME)).key };
      const users = [{ name: 'ann', api_key: 'audited-tenant', roles: ['admin'] }];
      const made = await done(lab.http.post('/api/v2/admin/tenants', { headers: SUPER, body: { info: { name: 'audited' }, users } }));
      tenantId = (made.json as { data: { id: string } }).data.id;
      const body = { type: 'gocdb', feed_url: 'https://f.example.org', paginated: 'true', fetch_type: ['a'] };
      await done(lab.http.put('/api/v2/feeds/topology', { headers: { 'x-api-key': 'audited-tenant' }, body }));
      position = (await lab.settled()).position;
      await done(lab.http.delete(`/api/v2/admin/tenants/${tenantId}`, { headers: SUPER }));
      await lab.settled();
    });
    const events = async () => {
      const found = await lab.runtime.eventStore.readStream('ops.audit-global', { limit: 1_000 });
      return found.map(({ type, data, metadata }) => ({ type, data, actor: metadata.actor }));
    };

    it('read every service, also a tenant that is gone, and each read is on record', async () => {
      await lab.runtime.reads.close();
      const before = (await events()).length;
      const paths = [
        ['/v1/projects', {}],
        ['/v1/users/nobody?details=true', {}],
        ['/accounting-system/admin/oidc-tenants', {}],
        ['/api/v2/admin/tenants', {}],
        ['/api/v2/feeds/topology', { 'logbook-tenant': tenantId }],
      ] as const;
      const requests: unknown[] = [];
      for (const [path, more] of paths) {
        const answer = await read(path, { ...auditor, ...more }, `${position}`);
        expect([path, answer.status]).toEqual([path, path.includes('nobody') ? 404 : 200]);
        requests.push(answer.headers.get('x-request-id'));
      }
      await lab.runtime.reads.close();
      const made = (await events()).slice(before);
      const recorded = (index: number) => ({ path: paths[index]?.[0].split('?')[0], position: `${position}`, requestId: requests[index] });
      const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
      expect(made.map(({ type, data }) => ({ type, data }))).toEqual([
        { type: 'AsOfRead', data: recorded(0) },
        { type: 'AsOfRead', data: { ...recorded(1), also: [2, 3, 4].map((index) => ({ ...recorded(index), time })) } },
      ]);
      expect(new Set(made.map(({ actor }) => actor.kind))).toEqual(new Set(['key']));
      const search = await lab.http.post('/accounting-system/providers/search', {
        headers: { ...auditor, 'logbook-as-of': `${position}` },
        body: { type: 'query', field: 'name', values: 'x', operand: 'eq' },
      });
      expect(search.status).toBe(200);
    });

    it('need to name the tenant, and get nothing else', async () => {
      const before = (await events()).length;
      for (const more of [{} as Headers, { 'logbook-tenant': '' }, { 'logbook-tenant': 'a/b' }])
        expect((await read('/api/v2/weights', { ...auditor, ...more }, `${position}`)).status).toBe(400);
      for (const path of ['/v1/projects', '/accounting-system/admin/projects', '/api/v2/admin/tenants'])
        expect([path, (await read(path, auditor)).status]).toEqual([path, 401]);
      expect((await read('/v1/projects', auditor, 'x')).status).toBe(400);
      const asOf = { ...auditor, 'logbook-as-of': `${position}` };
      for (const path of ['/v1/projects/mine', '/accounting-system/providers', '/api/v2/admin/tenants'])
        expect([path, (await lab.http.post(path, { headers: asOf, body: {} })).status]).toEqual([path, 401]);
      expect((await events()).length).toBe(before);
    });

    it('are not operators', async () => {
      const { key } = await issueKey(lab.http, 'ops', 'operator', 'an operator');
      await lab.settled();
      for (const path of ['/v1/projects', '/accounting-system/admin/projects', '/api/v2/admin/tenants', '/api/v2/weights'])
        expect([path, (await read(path, { 'x-api-key': key }, `${position}`)).status]).toEqual([path, 403]);
      expect((await read('/v1/projects', { 'x-api-key': OPERATOR }, `${position}`)).status).toBe(200); // it has both roles
    });
  });

  it('keep nothing for each other: many moments and now at once', async () => {
    const moments: (readonly [asOf: string | undefined, description: string])[] = [];
    await describeProject('many', 'version 0', 'POST');
    for (let version = 0; version < 12; version++) {
      const { position } = await laterOn(() => describeProject('many', `version ${version}`));
      moments.push([`${position}`, `version ${version}`]);
    }
    moments.push([undefined, 'version 11']);
    const asked = Array.from({ length: 200 }, (_, index) => moments[(index * 7) % moments.length] ?? moments[0]);
    const answers = await Promise.all(asked.map(async (one) => descriptionIn(await read('/v1/projects/many', SERVICE, one?.[0]))));
    expect(answers).toEqual(asked.map((one) => one?.[1]));
  });

  it('are documented on every read of the services, on results for auditors and on changes, and nowhere else', async () => {
    type Operation = { parameters?: { name: string }[]; responses: object };
    const { paths } = (await lab.http.get('/openapi.json')).json as { paths: Record<string, Record<string, Operation>> };
    for (const [path, operations] of Object.entries(paths))
      for (const [method, { parameters = [] }] of Object.entries(operations)) {
        const isRead =
          path.startsWith('/audit/results') ||
          path === '/audit/changes' ||
          (/^\/(v1|api\/v[2-5]|accounting-system)\//.test(path) && (method === 'get' || (method === 'post' && path.endsWith('/search'))));
        expect([method, path, parameters.some(({ name }) => name === 'Logbook-As-Of')]).toEqual([method, path, isRead]);
      }
  });
});
