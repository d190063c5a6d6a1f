import type { Provider } from '@nestjs/common';
import { known } from '#api/accounting/existing.js';
import { ProjectStreams } from '#api/accounting/project-streams.js';
import { References } from '#api/accounting/references/references.js';
import { providerTarget } from '#api/accounting/references/targets.js';
import { toProject } from '#api/accounting/stream-commands.js';
import type { Outcome } from '#api/shared/commands/command-gateway.js';
import { CommandOf, CommandWith } from '#api/shared/commands/command-of.js';
import { handles, passOn } from '#api/shared/commands/handlers.js';
import type { ProjectEvent } from '#domain/accounting/catalogue/catalogue-events.js';
import type { ProjectCommand } from '#domain/accounting/projects/project-rules.js';
import { CatalogueQueries } from '#projections/accounting/catalogue/queries.js';
export class AssociateProvider extends CommandWith<Readonly<{ projectId: string; providerId: string }>, Outcome<ProjectEvent>> {}

/** Ends the association of a provider that has no installations in the project. */
export class DissociateProvider extends CommandOf<ProjectCommand, 'DissociateProvider', ProjectEvent> {}

export const associationHandlers: readonly Provider[] = [
  ...passOn(toProject, { DissociateProvider }),

  handles(
    AssociateProvider,
    [ProjectStreams, CatalogueQueries, References],
    async ({ context, data: { projectId, providerId } }, projects, queries, references) => {
      const { generation } = await known(queries.project(projectId), 'PROJECT_NOT_FOUND', { projectId });
      return references.holding([providerTarget(providerId)], { projectId }, context, (holds) =>
        projects.execute(context, { type: 'AssociateProvider', projectId, generation, providerId, holds }),
      );
    },
  ),
];
