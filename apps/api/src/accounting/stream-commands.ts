import { CATALOGUE_STREAM, type CatalogueEvent, type ProjectEvent, projectStream } from '#domain/accounting/catalogue/catalogue-events.js';
import { type CatalogueCommand, type CatalogueState, catalogue } from '#domain/accounting/catalogue/catalogue-rules.js';
import { type ProjectCommand, type ProjectState, projectContents } from '#domain/accounting/projects/project-rules.js';
import type { CommandContext, StreamCommand } from '#domain/shared/execution.js';

/** Target of commands: the stream of all projects, providers and resources. */
export const toCatalogue = (
  context: CommandContext,
  command: CatalogueCommand,
): StreamCommand<CatalogueState, CatalogueCommand, CatalogueEvent> => ({ stream: CATALOGUE_STREAM, decider: catalogue, context, command });

/** Target of commands: the stream of the project, with its associations and installations. */
export const toProject = (context: CommandContext, command: ProjectCommand): StreamCommand<ProjectState, ProjectCommand, ProjectEvent> => ({
  stream: projectStream(command.projectId),
  decider: projectContents,
  context,
  command,
});
