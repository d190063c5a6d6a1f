import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import { handlersOf } from '#api/shared/commands/command-of.js';
import { CLOCK } from '#api/shared/tokens.js';
import { CatalogueQueries } from '#projections/accounting/catalogue/queries.js';
import { type Application, contextFor, openApplication } from '#test/support/application.js';
import { busOver } from '#test/support/command-bus.js';
import { EXTERNAL_PROJECT_CATALOGUE, type ExternalProjectCatalogue, type FoundProject } from './external-project-catalogue.js';
import * as projectCommands from './project-commands.js';
import { AdoptProjects, RegisterProject, ReviseProject } from './project-commands.js';

let application: Application;
let queries: CatalogueQueries;
beforeAll(async () => {
  application = await openApplication();
  queries = application.get(CatalogueQueries);
});
afterAll(() => application?.close());

const context = () => contextFor('accounting');
const VALUES = { acronym: 'a', title: 't', start_date: '2030-01-01', end_date: '2031-01-01', call_identifier: 'c' };

const register = async (): Promise<string> => {
  const projectId = randomUUID();
  await application.execute(new RegisterProject(context(), { projectId, creatorId: 'me', ...VALUES }));
  return projectId;
};
const stored = async (id: string) => {
  const found = await queries.project(id);
  if (!found) throw new Error(`no project ${id}`);
  return found;
};

/** An external catalogue with these projects; requested ids are added to `asked`. */
const externalCatalogue = (projects: Readonly<Record<string, FoundProject>>, asked: string[] = []): ExternalProjectCatalogue => {
  const find = (id: string): FoundProject => {
    asked.push(id);
    return projects[id] ?? 'unknown';
  };
  return {
    findAll: async (ids) => new Map(ids.map((id) => [id, find(id)])),
    knows: async (id) => typeof find(id) === 'object',
  };
};

const busWith = (external: ExternalProjectCatalogue, reads: Pick<CatalogueQueries, 'project'> = queries) =>
  busOver(
    { provide: CommandGateway, useValue: application.get(CommandGateway) },
    { provide: CatalogueQueries, useValue: reads },
    { provide: EXTERNAL_PROJECT_CATALOGUE, useValue: external },
    { provide: CLOCK, useValue: Date.now },
    ...handlersOf(projectCommands),
  );

describe('Registering a project', () => {
  it('is refused when the external catalogue has a project of that id', async () => {
    const projectId = randomUUID();
    const bus = await busWith(externalCatalogue({ [projectId]: VALUES }));
    const command = new RegisterProject(context(), { projectId, creatorId: 'me', ...VALUES });
    await expect(bus.execute(command)).rejects.toMatchObject({ code: 'PROJECT_OF_CATALOGUE', details: { projectId } });
    expect(await queries.project(projectId)).toBeUndefined();
  });
});

describe('Adopting projects', () => {
  it('registers those that the external catalogue has, and says why the others are not registered', async () => {
    const [known, fresh, lost] = [await register(), randomUUID(), randomUUID()];
    const asked: string[] = [];
    const external = externalCatalogue({ [known]: VALUES, [fresh]: VALUES, [lost]: 'unavailable' }, asked);
    const bus = await busWith(external);
    const { adoption } = await bus.execute(
      new AdoptProjects(context(), { projectIds: [fresh, known, 'roles', lost, fresh, 'none'], creatorId: 'me' }),
    );
    expect(adoption).toEqual({
      registered: [fresh],
      refused: [
        { id: known, reason: 'registered before' },
        { id: 'roles', reason: 'unknown' },
        { id: lost, reason: 'unavailable' },
        { id: fresh, reason: 'registered before' },
        { id: 'none', reason: 'unknown' },
      ],
    });
    expect(asked).toEqual([fresh, known, lost, 'none']);
    expect(await stored(fresh)).toMatchObject(VALUES);
  });

  it('says that an id which occurs again is registered, even while reads are behind', async () => {
    const fresh = randomUUID();
    const bus = await busWith(externalCatalogue({ [fresh]: VALUES }), { project: async () => undefined });
    const { adoption } = await bus.execute(new AdoptProjects(context(), { projectIds: [fresh, fresh], creatorId: 'me' }));
    expect(adoption).toEqual({ registered: [fresh], refused: [{ id: fresh, reason: 'registered before' }] });
  });
});

describe('Revising a project', () => {
  it('resolves with what holds now, also when nothing changes', async () => {
    const before = await stored(await register());
    const { record } = await application.execute(new ReviseProject(context(), { project: before, changes: { title: 'new' } }));
    expect(record).toEqual({ ...before, title: 'new' });
    expect(await stored(before.id)).toEqual(record);
    expect((await application.execute(new ReviseProject(context(), { project: record, changes: {} }))).record).toEqual(record);
    const repeat = new ReviseProject(context(), { project: before, changes: { title: 'new' } }); // as read before the revision
    expect((await application.execute(repeat)).record).toEqual(record);
  });
});
