import { toAccounts } from '#api/messaging/accounts/account-commands.js';
import type { CommandGateway, Outcome } from '#api/shared/commands/command-gateway.js';
import { toStreams } from '#api/shared/commands/handlers.js';
import { type ResourceCommand, type ResourceEvent, resources, resourcesStream } from '#domain/messaging/resources/resources.js';
import type { CommandContext } from '#domain/shared/execution.js';

export type ResourceOutcome = Outcome<ResourceEvent>;

export type InProject = Readonly<{ projectId: string }>;

/** A command to a topic, subscription or schema of a project. */
export type ProjectResourceCommand = ResourceCommand & InProject;

/** The topics, subscriptions and schemas of a project share a stream. */
export const toResources = toStreams(resources, ({ projectId }: ProjectResourceCommand) => resourcesStream(projectId));

/** Executes a command that writes a resource. `undo`: its deletion, if the project was deleted before. @throws DomainError `PROJECT_NOT_FOUND` */
export const writeResource = (
  { context, gateway }: Readonly<{ context: CommandContext; gateway: CommandGateway }>,
  command: ProjectResourceCommand,
  undo: ResourceCommand,
): Promise<ResourceOutcome> => {
  const { projectId } = command;
  const owner = toAccounts(context, { type: 'RequireProject', projectId });
  return gateway.executeFor(toResources(context, command), owner, toResources(context, { ...undo, projectId }));
};
