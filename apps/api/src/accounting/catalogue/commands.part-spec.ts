import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { AssociateProvider } from '#api/accounting/projects/association-commands.js';
import { DeleteProject, RegisterProject } from '#api/accounting/projects/project-commands.js';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import { externalIdStream } from '#domain/accounting/catalogue/catalogue-events.js';
import { externalIds } from '#domain/accounting/catalogue/external-id-rules.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { CatalogueQueries, type InstallationDocument, type ProviderDocument } from '#projections/accounting/catalogue/queries.js';
import { type Application, contextFor, openApplication } from '#test/support/application.js';
import { CreateInstallation, DeleteInstallation, type NewInstallation, ReviseInstallation } from './installation-commands.js';
import { RegisterProvider, ReviseProvider } from './provider-commands.js';

let application: Application;
let queries: CatalogueQueries;
beforeAll(async () => {
  application = await openApplication();
  queries = application.get(CatalogueQueries);
});
afterAll(() => application?.close());

const context = (more: Partial<CommandContext> = {}): CommandContext => ({ ...contextFor('accounting'), ...more });
const OBJECT_ID = /^[0-9a-f]{24}$/;

const registerProvider = async (): Promise<ProviderDocument> => {
  const values = { website: null, abbreviation: null, logo: null };
  const provider = { id: null, name: randomUUID(), externalId: randomUUID(), creatorId: 'me', ...values };
  return (await application.execute(new RegisterProvider(context(), provider))).record;
};

const PROJECT = { acronym: 'a', title: 't', start_date: '2030-01-01', end_date: '2031-01-01', call_identifier: 'c', creatorId: 'me' };
/** Creates a project with these providers. */
const projectOf = async (...providerIds: readonly string[]): Promise<string> => {
  const projectId = randomUUID();
  await application.execute(new RegisterProject(context(), { projectId, ...PROJECT }));
  for (const id of providerIds) await application.execute(new AssociateProvider(context(), { projectId, providerId: id }));
  return projectId;
};

const newInstallation = (projectId: string, organisation: string): NewInstallation => ({
  projectId,
  generation: 1,
  externalId: randomUUID(),
  creatorId: 'me',
  content: { organisation, infrastructure: 'i', installation: randomUUID(), resource: null, unitOfAccess: null },
});
const create = async (installation: NewInstallation, surrounding = context()): Promise<string> =>
  (await application.execute(new CreateInstallation(surrounding, installation))).record.id;
const stored = async (id: string): Promise<InstallationDocument> => {
  const found = await queries.installationById(id);
  if (!found) throw new Error(`no installation ${id}`);
  return found;
};

describe('Revising a provider', () => {
  it('resolves with its values also if nothing changes, and it was read before they were in force', async () => {
    const before = await registerProvider();
    const revision = () => new ReviseProvider(context(), { providerId: before.id, changes: { logo: 'new' } });
    await application.execute(revision());
    jest.spyOn(CatalogueQueries.prototype, 'providerById').mockResolvedValueOnce(before);
    expect((await application.execute(revision())).record).toEqual({ ...before, logo: 'new' });
    jest.restoreAllMocks();
  });
});

describe('Creating an installation', () => {
  it('claims the external id over all projects until the installation is deleted', async () => {
    const { id: providerId } = await registerProvider();
    const [first, second] = [await projectOf(providerId), await projectOf(providerId)];
    const installation = newInstallation(first, providerId);
    const id = await create(installation);
    const another = { ...newInstallation(second, providerId), externalId: installation.externalId };
    await expect(create(another)).rejects.toMatchObject({ code: 'EXTERNAL_ID_TAKEN' });
    await application.execute(new DeleteInstallation(context(), await stored(id)));
    expect(await create(another)).toMatch(OBJECT_ID);
  });

  it('takes over the external id of a creation that was interrupted, and of two at once refuses one', async () => {
    const { id: providerId } = await registerProvider();
    const projectId = await projectOf(providerId);
    const installation = newInstallation(projectId, providerId);
    const { externalId } = installation;
    const holder = { projectId, generation: 1, installationId: 'f'.repeat(24) };
    const command = { type: 'ClaimExternalId', externalId, holder, now: context().time } as const;
    const stream = externalIdStream(externalId);
    await application.get(CommandGateway).execute({ stream, decider: externalIds, context: context(), command });
    const others = [installation, { ...newInstallation(projectId, providerId), externalId }];
    const outcomes = await Promise.allSettled(others.map((one) => create(one)));
    expect(outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.code : 'created')).sort()).toEqual([
      'EXTERNAL_ID_TAKEN',
      'created',
    ]);
  });

  it('releases the external id when it is refused', async () => {
    const { id: providerId } = await registerProvider();
    const projectId = await projectOf(providerId);
    const installation = newInstallation(projectId, providerId);
    const refused = { ...installation, content: { ...installation.content, organisation: 'not associated' } };
    await expect(create(refused)).rejects.toMatchObject({ code: 'PROVIDER_NOT_ASSOCIATED' });
    expect(await create(installation)).toMatch(OBJECT_ID);
  });

  it('and its provider are new in a project that was registered again, also with a key used before', async () => {
    const { id: providerId } = await registerProvider();
    const projectId = randomUUID();
    const installation = newInstallation(projectId, providerId);
    const keyed = () => context({ idempotency: { key: `of-${projectId}`, body: 'b' } });
    const made: string[] = [];
    for (const generation of [1, 2]) {
      await application.execute(new RegisterProject(context(), { projectId, ...PROJECT }));
      await application.execute(new AssociateProvider(keyed(), { projectId, providerId }));
      const surrounding = context({ idempotency: { key: `in-${projectId}`, body: 'b' } });
      made.push(await create({ ...installation, generation }, surrounding), await create({ ...installation, generation }, surrounding));
      await application.execute(new DeleteProject(context(), { projectId }));
    }
    const [first, repeated, second, again] = made;
    expect([repeated, again]).toEqual([first, second]);
    expect(second).not.toBe(first);
  });
});

describe('Revising an installation', () => {
  it('takes the external id of a provider for the provider', async () => {
    const [first, second] = [await registerProvider(), await registerProvider()];
    const projectId = await projectOf(first.id, second.id);
    const before = await stored(await create(newInstallation(projectId, first.id)));
    const organisation = second.external_id ?? '';
    const { record } = await application.execute(new ReviseInstallation(context(), { installation: before, changes: { organisation } }));
    expect(record).toEqual({ ...before, organisation: second.id });
    expect(await stored(before.id)).toEqual({ ...record, closings: 1 });
  });

  it('resolves with its values also if nothing changes, and it was read before they were in force', async () => {
    const { id: providerId } = await registerProvider();
    const before = await stored(await create(newInstallation(await projectOf(providerId), providerId)));
    const revision = () => new ReviseInstallation(context(), { installation: before, changes: { infrastructure: 'new' } });
    await application.execute(revision());
    expect((await application.execute(revision())).record).toMatchObject({ id: before.id, infrastructure: 'new' });
  });
});
