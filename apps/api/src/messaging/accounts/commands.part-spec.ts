import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { AccountQueries } from '#projections/messaging/accounts/queries.js';
import { type Application, contextFor, openApplication } from '#test/support/application.js';
import { CreateProject, DeleteProject, ReviseProject } from './project-commands.js';
import { CreateUser, RefreshToken } from './user-commands.js';
import type { WrittenUser } from './written-user.js';

let application: Application;
beforeAll(async () => {
  application = await openApplication({ LOGBOOK_MESSAGING_TOKENS_SHOWN: 'once' });
});
afterAll(() => application?.close());

const context = () => contextFor('messaging');

it('A project is not revised once it is deleted, which is N02', async () => {
  const { project } = await application.execute(new CreateProject(context(), { by: null, name: 'short-lived', description: '' }));
  await application.execute(new DeleteProject(context(), { projectId: project.projectId }));
  await expect(
    application.execute(new ReviseProject(context(), { projectId: project.projectId, name: 'x', description: '' })),
  ).rejects.toThrow("ProjectUUID doesn't exist");
});

it('Of a token that is shown once nothing is kept but its hash', async () => {
  const profile = { name: 'u', firstName: '', lastName: '', organization: '', email: 'u@example.org', description: '' };
  const create = new CreateUser(context(), { by: null, profile, projects: [], serviceRoles: [] });
  const accounts = application.get(AccountQueries);
  for (const asked of [create, new RefreshToken(context(), { name: 'u' })]) {
    const { user } = await application.execute<WrittenUser>(asked);
    const { token, ...kept } = user;
    expect([token, await accounts.user(user.userId)]).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), { ...kept, token: '' }]);
  }
});
