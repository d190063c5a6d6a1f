import { known } from '#api/accounting/existing.js';
import { ProjectStreams } from '#api/accounting/project-streams.js';
import { References } from '#api/accounting/references/references.js';
import { providerTarget } from '#api/accounting/references/targets.js';
import { toProject } from '#api/accounting/stream-commands.js';
import { commandTo, commandWith } from '#api/shared/commands/command-of.js';
import { CatalogueQueries } from '#projections/accounting/catalogue/queries.js';

/** Ends the association of a provider that has no installations in the project. */
export class DissociateProvider extends commandTo(toProject, 'DissociateProvider') {}

export class AssociateProvider extends commandWith(
  [ProjectStreams, CatalogueQueries, References],
  async ({ projectId, providerId }: Readonly<{ projectId: string; providerId: string }>, { context }, projects, queries, references) => {
    const { generation } = await known(queries.project(projectId), 'PROJECT_NOT_FOUND', { projectId });
    return references.holding([providerTarget(providerId)], { projectId }, context, (holds) =>
      projects.execute(context, { type: 'AssociateProvider', projectId, generation, providerId, holds }),
    );
  },
) {}
