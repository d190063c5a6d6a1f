import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  createProject,
  type ErrorLine,
  expectBody,
  expectEmpty,
  expectError,
  inProject,
  type ProjectCalls,
  WITH_TOKEN,
} from '#test/e2e/messaging/calls.js';
import { serving } from '#test/e2e/serving.js';
import { embedded } from '#test/support/deployments.js';
import type { Answer } from '#test/support/status-client.js';

/** The two kinds of resources that have an ACL. `role`: whose holders it is for. */
const KINDS = [
  {
    kind: 'topics',
    role: 'publisher',
    malformed: 'INVALID_ARGUMENT: Invalid Topic ACL Arguments',
    missing: "NOT_FOUND: Topic doesn't exist",
  },
  {
    kind: 'subscriptions',
    role: 'consumer',
    malformed: 'INVALID_ARGUMENT: Invalid Subscription ACL Arguments',
    missing: "NOT_FOUND: Subscription doesn't exist",
  },
] as const satisfies readonly { kind: string; role: string; malformed: ErrorLine; missing: ErrorLine }[];

const scene = serving(embedded, WITH_TOKEN);

describe.each(KINDS)('ACLs of $kind', ({ kind, malformed, missing }) => {
  const project = `acl-${kind}`;
  let p: ProjectCalls;
  let number = 0;
  const made = async () => {
    const name = `r${++number}`;
    if (kind === 'subscriptions') await p.subscription(name, 't');
    else await p.topic(name);
    return name;
  };
  const modify = (name: string, body: unknown, headers = {}) => p.post(`/${kind}/${name}:modifyAcl`, body, headers);
  const expectAcl = async (name: string, ...users: string[]) =>
    expectBody(await p.get(`/${kind}/${name}:acl`), { authorized_users: users });

  beforeAll(async () => {
    p = await createProject(scene, project);
    await p.topic('t');
    for (const user of ['a', 'b', 'c']) await p.member(`${kind}-${user}`, 'publisher', 'consumer');
    const other = await createProject(scene, `other-${kind}`);
    await other.member(`${kind}-stranger`, 'publisher');
  });
  const [a, b, c] = [`${kind}-a`, `${kind}-b`, `${kind}-c`];

  it('are empty at first, and replaced as a whole', async () => {
    const name = await made();
    await expectAcl(name);
    for (const users of [[a, b], [b, c, a], [c], []]) {
      expectEmpty(await modify(name, { authorized_users: users }));
      await expectAcl(name, ...users);
    }
  });

  it('list each user once', async () => {
    const name = await made();
    expectEmpty(await modify(name, { AUTHORIZED_USERS: [b, a, b], other: 1 }));
    await expectAcl(name, b, a);
  });

  it.each(['{', 'null', '{"other":[]}', '{"authorized_users":[1]}'])(
    'are not replaced by %s, before anything else is looked at',
    async (body) => {
      const name = await made();
      await modify(name, { authorized_users: [a] });
      expectError(await modify(name, body), malformed);
      expectError(await modify('none', body), malformed);
      await expectAcl(name, a);
    },
  );

  it('accept only members of the project; the error lists all others in the order of the request, and comes before an unknown resource', async () => {
    const name = await made();
    await modify(name, { authorized_users: [b] });
    for (const resource of [name, 'none']) {
      expectError(
        await modify(resource, { authorized_users: ['x', a, `${kind}-stranger`, 'x'] }),
        `NOT_FOUND: User(s): x, ${kind}-stranger, x do not exist`,
      );
      expectError(await modify(resource, { authorized_users: [''] }), 'NOT_FOUND: User(s):  do not exist');
    }
    await expectAcl(name, b);
  });

  it('belong to a resource that exists', async () => {
    expectError(await p.get(`/${kind}/none:acl`), missing);
    expectError(await modify('none', { authorized_users: [] }), missing);
    expectError(await modify('none', { authorized_users: [a] }), missing);
  });

  it('are replaced once for each Idempotency-Key', async () => {
    const name = await made();
    const headers = { 'idempotency-key': `acl ${name}` };
    expectEmpty(await modify(name, { authorized_users: [a] }, headers));
    expectEmpty(await modify(name, { authorized_users: [b] }));
    expectEmpty(await modify(name, { authorized_users: [a] }, headers));
    await expectAcl(name, b);
    expect((await modify(name, { authorized_users: [c] }, headers)).status).toBe(422);
  });

  it('keep users who leave the project, and skip those who are deleted', async () => {
    const name = await made();
    for (const user of ['leaver', 'mortal']) await p.member(`${kind}-${user}`, 'publisher');
    await modify(name, { authorized_users: [`${kind}-mortal`, a, `${kind}-leaver`] });
    expect((await p.post(`/members/${kind}-leaver:remove`)).status).toBe(200);
    expect((await scene.root.delete(`/v1/users/${kind}-mortal`, { key: WITH_TOKEN.LOGBOOK_MESSAGING_SERVICE_TOKEN })).status).toBe(200);
    await expectAcl(name, a, `${kind}-leaver`);
  });

  it('show users under their current names', async () => {
    const name = await made();
    await p.member(`${kind}-old`, 'publisher');
    await modify(name, { authorized_users: [`${kind}-old`] });
    const renamed = await scene.root.put(`/v1/users/${kind}-old`, {
      key: WITH_TOKEN.LOGBOOK_MESSAGING_SERVICE_TOKEN,
      body: { name: `${kind}-new` },
    });
    expect(renamed.status).toBe(200);
    await expectAcl(name, `${kind}-new`);
  });

  it('are deleted with their resource', async () => {
    const name = await made();
    await modify(name, { authorized_users: [a] });
    await p.delete(`/${kind}/${name}`);
    number--;
    await made();
    await expectAcl(name);
  });
});

describe.each(KINDS)('lists of $kind', ({ kind, role }) => {
  const project = `list-${kind}`;
  const names = ['n1', 'n2', 'n3', 'n4', 'n5'];
  const newest = [...names].reverse();
  let p: ProjectCalls;
  const keys: Record<string, string> = {};

  const items = (answer: Answer) => {
    const list = (answer.json as Record<string, readonly { name: string }[]>)[kind] ?? [];
    return list.map(({ name }) => name.replace(`/projects/${project}/${kind}/`, ''));
  };
  const list = (query = '', key?: string) => inProject(scene, project, key).get(`/${kind}${query}`);
  const pageOf = async (query: string, key?: string) => {
    const answer = await list(query, key);
    const { nextPageToken, totalSize } = answer.json as { nextPageToken: string; totalSize: number };
    return { items: items(answer), next: nextPageToken, total: totalSize };
  };

  beforeAll(async () => {
    p = await createProject(scene, project);
    const user = async (name: string, ...roles: string[]) => {
      keys[name] = await p.member(`${kind}-list-${name}`, ...roles);
    };
    await user('limited', role);
    await user('admin', 'project_admin');
    await user('both', 'project_admin', role);
    await user('unlisted', role, 'publisher', 'consumer');
    await p.topic('t');
    if (kind === 'topics') await p.delete('/topics/t');
    for (const name of names) await (kind === 'topics' ? p.topic(name) : p.subscription(name, 't'));
    for (const name of ['n1', 'n2', 'n4'])
      await p.post(`/${kind}/${name}:modifyAcl`, { authorized_users: [`${kind}-list-limited`, `${kind}-list-both`] });
  });

  it('show everything to administrators, whatever other roles they have', async () => {
    for (const key of [undefined, keys.admin, keys.both]) {
      expect(await pageOf('', key)).toEqual({ items: newest, next: '', total: 5 });
    }
  });

  it('show each item in the same form as when it is read alone', async () => {
    const shown = [];
    for (const name of newest) shown.push((await p.get(`/${kind}/${name}`)).json);
    expectBody(await list(), { [kind]: shown, nextPageToken: '', totalSize: 5 });
  });

  it('show other callers what they may use', async () => {
    expect(await pageOf('', keys.limited)).toEqual({ items: ['n4', 'n2', 'n1'], next: '', total: 3 });
    expectBody(await list('', keys.unlisted), { [kind]: [], nextPageToken: '', totalSize: 0 });
    await p.post(`/${kind}/n3:modifyAcl`, { authorized_users: [`${kind}-list-unlisted`] });
    expect(await pageOf('', keys.unlisted)).toEqual({ items: ['n3'], next: '', total: 1 });
    await p.post(`/${kind}/n3:modifyAcl`, { authorized_users: [] });
    expect(await pageOf('', keys.unlisted)).toEqual({ items: [], next: '', total: 0 });
  });

  it.each([
    ['', undefined, newest],
    ['limited', 'limited', ['n4', 'n2', 'n1']],
  ])('come in pages to %s', async (_name, user, all) => {
    const key = user === undefined ? undefined : keys[user];
    for (const size of [1, 2, 3, 5]) {
      const seen: string[] = [];
      let token = '';
      do {
        const page = await pageOf(`?pageSize=${size}&pageToken=${encodeURIComponent(token)}`, key);
        expect(page.total).toBe(all.length);
        expect(page.items.length).toBe(page.next ? size : all.length - seen.length);
        seen.push(...page.items);
        token = page.next;
      } while (token);
      expect(seen).toEqual(all);
    }
  });

  it('refuse a page size and a page token that are none', async () => {
    expectError(await list('?pageSize=x&pageToken=x'), 'INVALID_ARGUMENT: Invalid page size');
    expectError(await list('?pageToken=x'), 'INVALID_ARGUMENT: Invalid page token');
  });

  it('continue after an item that was deleted in between', async () => {
    const { next } = await pageOf('?pageSize=2');
    await p.delete(`/${kind}/n3`);
    expect(await pageOf(`?pageSize=1&pageToken=${encodeURIComponent(next)}`)).toMatchObject({ items: ['n2'], total: 4 });
    const last = await pageOf(`?pageToken=${encodeURIComponent(next)}`);
    expect(last).toEqual({ items: ['n2', 'n1'], next: '', total: 4 });
  });
});
