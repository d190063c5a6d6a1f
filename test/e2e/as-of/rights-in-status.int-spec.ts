import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { issueKey } from '#test/e2e/serving.js';
import { agreeWith, newTenant, type TestTenant } from '#test/e2e/status/extended-contract.js';
import { openPastLab, type PastLab } from '#test/support/as-of/past-lab.js';
import { type Headers, SUPER } from '#test/support/as-of/world.js';
import { type Deployment, embedded } from '#test/support/deployments.js';
import { type Answer, recordsOf, statusClient } from '#test/support/status-client.js';

describe('rights in the status service, as of the past,', () => {
  let deployment: Deployment;
  let lab: PastLab;
  let auditor: Headers = {};
  beforeAll(async () => {
    deployment = await embedded();
    lab = await openPastLab(deployment);
    auditor = { 'x-api-key': (await issueKey(lab.http, 'ops', 'auditor', 'an auditor')).key };
  });
  afterAll(async () => {
    await lab?.close();
    await deployment?.dispose();
  });

  const tenants = (count: number) => Promise.all(Array.from({ length: count }, () => newTenant(statusClient(lab.url))));
  const done = async (answer: Promise<Answer>): Promise<void> => {
    const { status, text } = await answer;
    if (status >= 300) throw new Error(`${status} ${text}`);
  };
  const asOfNow = async (): Promise<Headers> => ({ 'logbook-as-of': `${(await lab.settled()).position}` });

  describe('to the topology of other tenants', () => {
    const DAY = 'date=2024-01-01';
    const paths = [`/topology/groups?${DAY}`, `/topology/endpoints?${DAY}`, `/topology/service-types?${DAY}`].map(
      (path) => `${path}&mode=combined`,
    );
    const write = async (tenant: TestTenant) => {
      await done(tenant.post(`/topology/groups?${DAY}`, [{ group: 'g', type: 't', subgroup: 's' }]));
      await done(
        tenant.post(`/topology/endpoints?${DAY}`, [
          { group: 's', type: 't', service: 'web', hostname: 'h', tags: { contact: tenant.name } },
        ]),
      );
      await done(tenant.post(`/topology/service-types?${DAY}`, [{ name: 'web', title: 'Web', description: `of ${tenant.name}` }]));
    };
    const ownersIn = (answer: Answer) => recordsOf(answer).map(({ tenant }) => tenant ?? 'own');
    const seenBy = (reader: TestTenant, headers: Headers) =>
      Promise.all(paths.map(async (path) => ownersIn(await reader.get(path, { headers }))));
    const seenByAuditor = (tenantId: string, headers: Headers) =>
      Promise.all(
        paths.map(async (path) =>
          ownersIn(await lab.http.get(`/api/v2${path}`, { headers: { ...headers, ...auditor, 'logbook-tenant': tenantId } })),
        ),
      );
    const onEach = (...owners: readonly string[]) => paths.map(() => owners);

    it('are those of now: without owners that withdrew their agreement or are deleted', async () => {
      const [reader, faithful, withdrawn, deleted] = (await tenants(4)) as [TestTenant, TestTenant, TestTenant, TestTenant];
      for (const one of [reader, faithful, withdrawn, deleted]) await write(one);
      for (const owner of [faithful, withdrawn, deleted]) await agreeWith(owner, reader);
      await done(reader.put('/feeds/data', { tenants: [faithful.name, withdrawn.name, deleted.name] }));
      const then = await asOfNow();
      const all = onEach('own', faithful.name, withdrawn.name, deleted.name);
      expect(await seenBy(reader, then)).toEqual(all);

      await agreeWith(withdrawn);
      await done(lab.http.delete(`/api/v2/admin/tenants/${deleted.id}`, { headers: SUPER }));
      await lab.settled();
      expect(await seenBy(reader, then)).toEqual(onEach('own', faithful.name));
      const asReader = { ...SUPER, ...then, 'x-tenant-id': reader.id };
      expect(ownersIn(await lab.http.get(`/api/v2${paths[0]}`, { headers: asReader }))).toEqual(['own', faithful.name]);
      expect(await seenByAuditor(reader.id, then)).toEqual(all);
    });

    it('of owners that have agreed since are those of now, too', async () => {
      const [reader, owner] = (await tenants(2)) as [TestTenant, TestTenant];
      for (const one of [reader, owner]) await write(one);
      await agreeWith(owner, reader);
      await done(reader.put('/feeds/data', { tenants: [owner.name] }));
      await agreeWith(owner);
      const then = await asOfNow();
      expect(await seenBy(reader, then)).toEqual(onEach('own'));
      await agreeWith(owner, reader);
      await lab.settled();
      expect(await seenBy(reader, then)).toEqual(onEach('own', owner.name));
      expect(await seenByAuditor(reader.id, then)).toEqual(onEach('own'));
    });
  });

  it('to users of the web interface go by their roles of now', async () => {
    const key = { 'x-api-key': (await issueKey(lab.http, 'status', 'super_admin_ui')).key };
    const user = (name: string) => ({ name, email: `${name}@example.org`, api_key: `key-of-${name}`, roles: ['admin_ui'] });
    const body = { info: { name: 'of the web interface' }, users: ['stays', 'leaves', 'goes'].map(user) };
    const made = await lab.http.post('/api/v2/admin/tenants', { headers: SUPER, body });
    const path = `/api/v2/admin/tenants/${(made.json as { data: { id: string } }).data.id}`;
    const then = await asOfNow();
    const read = (of: string) => lab.http.get(of, { headers: { ...key, ...then } });
    type Users = readonly Readonly<{ id: string; name: string }>[];
    const usersSeen = async () => recordsOf(await read(path)).flatMap(({ users }) => users as Users);
    const users = await usersSeen();
    expect(users.map(({ name }) => name)).toEqual(['stays', 'leaves', 'goes']);

    const [, leaves, goes] = users.map(({ id }) => id);
    await done(lab.http.put(`${path}/users/${leaves}`, { headers: SUPER, body: { roles: ['viewer'] } }));
    await done(lab.http.delete(`${path}/users/${goes}`, { headers: SUPER }));
    await lab.settled();
    expect((await usersSeen()).map(({ name }) => name)).toEqual(['stays']);
    const listed = recordsOf(await read('/api/v2/admin/tenants')).find(({ info }) => (info as { name: string }).name === body.info.name);
    expect(listed?.users).toMatchObject([{ name: 'stays' }]);
    const statuses = users.map(async ({ id }) => (await read(`/api/v2/admin/users:byID/${id}`)).status);
    expect(await Promise.all(statuses)).toEqual([200, 404, 404]);
    await done(lab.http.delete(path, { headers: SUPER }));
    await lab.settled();
    expect((await read(path)).status).toBe(404);
  });
});
