import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CatalogueQueries, type ProjectDocument } from '#projections/accounting/catalogue/queries.js';
import { type Application, contextFor, openApplication } from '#test/support/application.js';
import { RegisterProject } from '../projects/project-commands.js';
import { TakeAnnouncedInstallation, TakeAnnouncedProvider } from './ams-commands.js';

let application: Application;
let queries: CatalogueQueries;
let project: ProjectDocument;
beforeAll(async () => {
  application = await openApplication();
  queries = application.get(CatalogueQueries);
  const values = { acronym: 'a', title: 't', start_date: '2030-01-01', end_date: '2031-01-01', call_identifier: 'c' };
  await application.execute(new RegisterProject(context(), { projectId: 'p', creatorId: 'me', ...values }));
  const found = await queries.project('p');
  if (!found) throw new Error('no project');
  project = found;
});
afterAll(() => application?.close());

const context = () => contextFor('accounting', { kind: 'system', id: 'from-ams' });
const provider = (externalId: string, name: string | null = externalId) => ({
  externalId,
  name,
  website: null,
  abbreviation: null,
  logo: null,
});
const takeProvider = (externalId: string, name?: string | null) =>
  application.execute(new TakeAnnouncedProvider(context(), { project, provider: provider(externalId, name) }));

describe('An announced provider', () => {
  it('is registered and associated once, however often it is announced', async () => {
    const externalId = randomUUID();
    expect(await takeProvider(externalId)).toMatchObject({ readable: true });
    const registered = await queries.providerByExternalId(externalId);
    expect(registered).toMatchObject({ name: externalId, creator_id: 'from-ams' });
    expect(await queries.isAssociated(registered?.id ?? '', project.id)).toBe(true);
    expect(await takeProvider(externalId, null)).toEqual({ readable: true });
    expect(await queries.providerByExternalId(externalId)).toEqual(registered);
  });

  it('needs a name when it is new', async () => {
    const externalId = randomUUID();
    await expect(takeProvider(externalId, null)).rejects.toMatchObject({ statusCode: 400, message: 'name may not be empty.' });
    expect(await queries.providerByExternalId(externalId)).toBeUndefined();
  });
});

describe('An announced installation', () => {
  const take = (externalId: string, organisation: string) =>
    application.execute(
      new TakeAnnouncedInstallation(context(), { project, installation: { externalId, infrastructure: 'i', organisation } }),
    );

  it('is created once, however often it is announced', async () => {
    const [externalId, organisation] = [randomUUID(), randomUUID()];
    await takeProvider(organisation);
    expect(await take(externalId, organisation)).toMatchObject({ readable: true });
    const created = await queries.installationByExternalId(externalId);
    expect(created).toMatchObject({ installation: externalId, infrastructure: 'i', creator_id: 'from-ams', project: 'p' });
    expect(await take(externalId, organisation)).toEqual({ readable: true });
    expect(await queries.installationByExternalId(externalId)).toEqual(created);
  });

  it('is refused when its provider is unknown', async () => {
    const organisation = randomUUID();
    await expect(take(randomUUID(), organisation)).rejects.toMatchObject({ statusCode: 404 });
  });
});
