import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Profile } from '#domain/messaging/accounts/account-commands.js';
import { AccountQueries } from '#projections/messaging/accounts/queries.js';
import { type Application, contextFor, openApplication } from '#test/support/application.js';
import { CreateProject, DeleteProject, ReviseProject } from './project-commands.js';
import { AcceptRegistration, SubmitRegistration } from './registration-commands.js';
import { CreateUser, DeleteUser, RefreshToken, ReviseUser } from './user-commands.js';
import type { WrittenUser } from './written-user.js';

let application: Application;
beforeAll(async () => {
  application = await openApplication();
});
afterAll(() => application?.close());

const context = () => contextFor('messaging');
const profile = (name: string): Profile => ({
  name,
  firstName: '',
  lastName: '',
  organization: '',
  email: `${name}@example.org`,
  description: '',
});

const registered = async (to: Application, name: string): Promise<string> => {
  const { registration } = await to.execute(new SubmitRegistration(context(), profile(name)));
  return registration.registrationId;
};

describe('Revising a project', () => {
  it('resolves with the project as it is then; empty texts change nothing', async () => {
    const { project } = await application.execute(new CreateProject(context(), { by: null, name: 'revised', description: 'first' }));
    const revised = await application.execute(
      new ReviseProject(context(), { projectId: project.projectId, name: '', description: 'second' }),
    );
    expect(revised).toMatchObject({ project: { name: 'revised', description: 'second', createdOn: project.createdOn }, readable: true });
  });

  it('is refused with N02 once the project is deleted', async () => {
    const { project } = await application.execute(new CreateProject(context(), { by: null, name: 'short-lived', description: '' }));
    await application.execute(new DeleteProject(context(), { projectId: project.projectId }));
    await expect(
      application.execute(new ReviseProject(context(), { projectId: project.projectId, name: 'x', description: '' })),
    ).rejects.toThrow("ProjectUUID doesn't exist");
  });
});

describe('Writing a user', () => {
  it('resolves with the user as the command leaves it', async () => {
    const { user: created } = await application.execute(
      new CreateUser(context(), { by: null, profile: profile('u-1'), projects: [], serviceRoles: ['service_admin'] }),
    );
    const changes = { profile: { ...profile(''), email: '', description: 'new' }, projects: undefined, serviceRoles: undefined };
    const { user: revised } = await application.execute(new ReviseUser(context(), { name: 'u-1', changes }));
    expect(revised).toMatchObject({ name: 'u-1', email: 'u-1@example.org', description: 'new', serviceRoles: ['service_admin'] });
    expect(revised.token).toBe(created.token);
  });

  it('gives a new token whose hash finds the user, and the old one none', async () => {
    const { user: before } = await application.execute(
      new CreateUser(context(), { by: null, profile: profile('u-2'), projects: [], serviceRoles: [] }),
    );
    const { user: after } = await application.execute(new RefreshToken(context(), { name: 'u-2' }));
    expect(after.token).not.toBe(before.token);
    const accounts = application.get(AccountQueries);
    expect(await accounts.tokenHolder(after.tokenHash)).toMatchObject({ userId: before.userId });
    expect(await accounts.tokenHolder(before.tokenHash)).toBeUndefined();
  });

  it('keeps nothing of a token but its hash if tokens are shown once', async () => {
    const once = await openApplication({ LOGBOOK_MESSAGING_TOKENS_SHOWN: 'once' });
    try {
      const create = new CreateUser(context(), { by: null, profile: profile('u-4'), projects: [], serviceRoles: [] });
      const accounts = once.get(AccountQueries);
      for (const asked of [create, new RefreshToken(context(), { name: 'u-4' })]) {
        const { user } = await once.execute<WrittenUser>(asked);
        const { token, ...kept } = user;
        expect([token, await accounts.user(user.userId)]).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), { ...kept, token: '' }]);
      }
    } finally {
      await once.close();
    }
  });

  it('is refused for a user that is deleted', async () => {
    await application.execute(new CreateUser(context(), { by: null, profile: profile('u-3'), projects: [], serviceRoles: [] }));
    await application.execute(new DeleteUser(context(), { name: 'u-3' }));
    await expect(application.execute(new RefreshToken(context(), { name: 'u-3' }))).rejects.toMatchObject({ code: 'USER_NOT_FOUND' });
  });
});

describe('Accepting a registration', () => {
  it('creates a user who administers a new project that is named after the user', async () => {
    const id = await registered(application, 'r-1');
    const accepted = await application.execute(
      new AcceptRegistration(context(), { by: null, registrationId: id, wish: { project: '', roles: [] } }),
    );
    const [membership] = accepted.user.memberships;
    expect(accepted.user).toMatchObject({ name: 'r-1', memberships: [{ roles: ['project_admin'] }] });
    expect(accepted.createdProjects.get(membership?.projectId ?? '')).toBe('r-1');
  });

  it('hands out the roles in the project that it names, which exists already', async () => {
    const { project } = await application.execute(new CreateProject(context(), { by: null, name: 'wished', description: '' }));
    const id = await registered(application, 'r-2');
    const { user, createdProjects } = await application.execute(
      new AcceptRegistration(context(), { by: null, registrationId: id, wish: { project: 'wished', roles: ['consumer'] } }),
    );
    expect(user.memberships).toEqual([{ projectId: project.projectId, roles: ['consumer'] }]);
    expect(createdProjects.size).toBe(0);
  });

  it('is refused the second time', async () => {
    const id = await registered(application, 'r-3');
    const accept = () =>
      application.execute(new AcceptRegistration(context(), { by: null, registrationId: id, wish: { project: '', roles: [] } }));
    await accept();
    await expect(accept()).rejects.toMatchObject({ code: 'REGISTRATION_NOT_FOUND' });
  });

  it('issues only projects that it names if the server is configured so', async () => {
    const strict = await openApplication({ LOGBOOK_MESSAGING_PROJECT_ON_APPROVAL: 'false' });
    try {
      const accept = async (name: string, project: string) =>
        strict.execute(
          new AcceptRegistration(context(), { by: null, registrationId: await registered(strict, name), wish: { project, roles: [] } }),
        );
      expect((await accept('r-4', '')).user.memberships).toEqual([]);
      expect((await accept('r-5', 'named')).user.memberships).toMatchObject([{ roles: ['project_admin'] }]);
    } finally {
      await strict.close();
    }
  });
});
