import { handlersOf } from '#api/shared/commands/command-of.js';
import type { Feature } from '#api/shared/feature.js';
import { CONFIGURATION, LOGGER } from '#api/shared/tokens.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import * as associationCommands from './association-commands.js';
import { EXTERNAL_PROJECT_CATALOGUE, HttpProjectCatalogue } from './external-project-catalogue.js';
import { OwnProjects } from './own-projects.js';
import { ProjectAdminController } from './project-admin.controller.js';
import * as projectCommands from './project-commands.js';
import { ProjectTrees } from './project-trees.js';
import { ProjectsController } from './projects.controller.js';

export const projectsFeature: Feature = {
  controllers: [ProjectAdminController, ProjectsController],
  providers: [
    ProjectTrees,
    OwnProjects,
    {
      provide: EXTERNAL_PROJECT_CATALOGUE,
      useFactory: ({ projectCatalogue }: Configuration, logger: Logger) => new HttpProjectCatalogue(projectCatalogue, logger),
      inject: [CONFIGURATION, LOGGER],
    },
    ...handlersOf(associationCommands, projectCommands),
  ],
};
