import { describe, expect, it } from '@jest/globals';
import { fastify } from 'fastify';
import type { AccountQueries, UserDocument } from '#projections/messaging/accounts/queries.js';
import { j3 } from '#projections/messaging/layout.js';
import type { ResourceQueries } from '#projections/messaging/resources/queries.js';
import { UserPresenter, type UserViewOptions } from './user-presenter.js';

type Members = Parameters<ResourceQueries['accessibleTopics']>[0];

const userOf = (userId: string, memberships: number) =>
  ({
    ...{ userId, email: `${userId}@example.org`, serviceRoles: [], createdBy: null, createdOn: '2026-01-01T00:00:00Z' },
    memberships: Array.from({ length: memberships }, (_, index) => ({ projectId: `p${index}`, roles: ['publisher'] })),
  }) as unknown as UserDocument;

/** `asked`: numbers of memberships whose topics were asked for together. Users are in the ACL of one topic of each project; `p1` is deleted. */
const presenter = () => {
  const asked: number[] = [];
  const accessible = (kind: string) => async (members: Members) =>
    members.map(({ projectId, userId }) => [`${kind}-${projectId}-${userId}`]);
  const accounts = {
    projects: async (ids: readonly string[]) => ids.map((id) => (id === 'p1' ? undefined : { projectId: id, name: `name-${id}` })),
    namesOf: async () => new Map(),
  } as unknown as AccountQueries;
  const resources = {
    accessibleTopics: (members: Members) => {
      asked.push(members.length);
      return accessible('topic')(members);
    },
    accessibleSubscriptions: accessible('subscription'),
  } as unknown as ResourceQueries;
  return { asked, presenter: new UserPresenter(accounts, resources, { messagingTokensShown: 'always' }) };
};

/** Body of the list of these users, as one part of a page. */
const listed = async (one: UserPresenter, items: readonly UserDocument[], options: UserViewOptions = {}): Promise<string> => {
  const server = fastify();
  const parts = async function* () {
    yield { items, next: '0'.repeat(24), totalSize: 9 };
  };
  server.get('/', async (_request, reply) => (await one.list(parts(), options)).send(reply));
  return (await server.inject('/')).payload;
};

const viewOf = ({ userId, email, memberships }: UserDocument) => ({
  uuid: userId,
  projects: memberships
    .filter(({ projectId }) => projectId !== 'p1')
    .map(({ projectId, roles }) => ({
      project: `name-${projectId}`,
      roles,
      topics: [`topic-${projectId}-${userId}`],
      subscriptions: [`subscription-${projectId}-${userId}`],
    })),
  email,
  service_roles: [],
  created_on: '2026-01-01T00:00:00Z',
});

describe('a list of users', () => {
  it.each([
    [[3, 2], [5]],
    [
      [400, 400, 400, 400],
      [1_200, 400],
    ],
    [
      [1_000, 2, 1_500, 10],
      [1_000, 1_502, 10],
    ],
    [[2_000], [2_000, 0]],
    [
      [3, 1_000],
      [1_003, 0],
    ],
  ])('with %j memberships is made in parts of %j, with the same bytes as at once', async (memberships, expected) => {
    const users = memberships.map((count, index) => userOf(`u${index}`, count));
    const { asked, presenter: one } = presenter();
    const body = await listed(one, users);
    const rest = { nextPageToken: Buffer.from('0'.repeat(24)).toString('base64'), totalSize: 9 };
    expect(body).toBe(j3({ users: users.map(viewOf), ...rest }));
    expect(asked).toEqual(expected);
  });

  it('without their projects is made at once', async () => {
    const { asked, presenter: one } = presenter();
    const body = await listed(one, [userOf('a', 1_000), userOf('b', 1_000)], { withoutProjects: true });
    expect(JSON.parse(body).users).toHaveLength(2);
    expect(asked).toEqual([0]);
  });

  it('may be without a user', async () => {
    expect(JSON.parse(await listed(presenter().presenter, []))).toMatchObject({ users: [], totalSize: 9 });
  });
});
