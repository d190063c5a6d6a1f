import { beforeAll, describe, expect, it } from '@jest/globals';
import { projectBody, records } from '#test/e2e/accounting/records.js';
import { EVERYTHING } from '#test/e2e/accounting/search/searches.js';
import { accountingServing, entitlement, pageIn } from '#test/e2e/accounting/serving.js';
import { embedded } from '#test/support/deployments.js';

describe('the list of all installations', () => {
  const scene = accountingServing(embedded);
  const make = records(() => scene.admin);
  beforeAll(() => scene.trustTokens());

  it('has the installations that the caller may read', async () => {
    const [one, two] = [await make.pair(), await make.pair()];
    await make.associate(two.project, one.provider);
    const a = await make.installation(one.project, one.provider);
    const b = await make.installation(one.project, one.provider);
    const c = await make.installation(two.project, two.provider);
    const d = await make.installation(two.project, one.provider);
    const seen = async (...names: readonly string[]) => {
      const page = pageIn(await (await scene.caller('reader', ...names)).get('/installations/all'));
      expect(page.total_elements).toBe(page.content.length);
      return page.content;
    };
    expect(pageIn(await scene.admin.get('/installations/all')).content).toEqual([a, b, c, d]);
    expect(await seen(entitlement('viewer'))).toEqual([a, b, c, d]);
    expect(await seen(entitlement('viewer', 'roles'))).toEqual([a, b, c, d]);
    expect(await seen()).toEqual([]);
    expect(await seen(entitlement('owner', one.project), entitlement('admin', 'operations', 'resources'))).toEqual([]);
    expect(await seen(entitlement('admin', two.project))).toEqual([c, d]);
    expect(await seen(entitlement('viewer', two.project, one.provider))).toEqual([d]);
    expect(await seen(entitlement('viewer', 'roles', 'provider', one.provider))).toEqual([a, b, d]);
    expect(await seen(entitlement('admin', one.project, one.provider, `${b.id}`))).toEqual([b]);
    expect(await seen(entitlement('admin', one.project, two.provider, `${b.id}`))).toEqual([]);
    const overlapping = [
      entitlement('admin', two.project),
      entitlement('viewer', two.project, one.provider),
      entitlement('viewer', one.project, one.provider, `${a.id}`),
      entitlement('admin', one.project, one.provider, `${a.id}`),
      entitlement('admin', 'nosuch'),
    ];
    expect(await seen(...overlapping)).toEqual([a, c, d]);
    const reader = await scene.caller('reader', ...overlapping);
    const second = pageIn(await reader.get('/installations/all?page=2&size=2'));
    expect([second.content, second.total_elements]).toEqual([[d], 3]);
    expect(pageIn(await reader.get('/installations/all?page=3&size=2'))).toMatchObject({ content: [], links: [], number_of_page: 3 });

    expect((await scene.admin.delete(`/admin/projects/${one.project}`)).status).toBe(200);
    expect(await seen(entitlement('viewer', 'roles', 'provider', one.provider))).toEqual([d]);
    expect(await seen(entitlement('admin', one.project), entitlement('admin', one.project, one.provider, `${a.id}`))).toEqual([]);
    expect((await scene.admin.post('/admin/projects', projectBody(one.project))).status).toBe(201);
    expect(await seen(entitlement('admin', one.project))).toEqual([]);
    expect((await scene.admin.get('/installations/all', { contentType: 'text/plain' })).status).toBe(415);
    expect((await scene.anonymous.get('/installations/all')).status).toBe(401);
  });

  it('is by project, by age in each, whatever the scopes of the caller', async () => {
    const [project, other] = [await make.project(), await make.project()];
    for (const provider of ['c', 'b', 'a']) {
      await make.provider(provider);
      await make.associate(project, provider);
    }
    await make.associate(other, 'a');
    const last = await make.installation(other, 'a');
    const [x, y, _, single, z] = [
      await make.installation(project, 'b'),
      await make.installation(project, 'a'),
      await make.installation(project, 'c'),
      await make.installation(project, 'c'),
      await make.installation(project, 'b'),
    ];
    const reader = await scene.caller(
      'reader',
      entitlement('viewer', other),
      entitlement('viewer', project, 'b'),
      entitlement('viewer', project, 'c', `${single.id}`),
      entitlement('viewer', project, 'a'),
    );
    const expected = [x, y, single, z, last];
    expect(pageIn(await reader.get('/installations/all')).content).toEqual(expected);
    for (const [index, installation] of expected.entries()) {
      const page = pageIn(await reader.get(`/installations/all?size=1&page=${index + 1}`));
      expect([page.content, page.total_elements]).toEqual([[installation], 5]);
    }
    const found = async (page: string) =>
      pageIn(await reader.post(`/installations/search${page}`, EVERYTHING)).content.map(({ installation_id }) => installation_id);
    expect(await found('')).toEqual(expected.map(({ id }) => id));
    expect(await found('?size=2&page=2')).toEqual([single.id, z.id]);
  });
});
