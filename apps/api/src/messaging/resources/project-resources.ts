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

/** Rejects with `PROJECT_NOT_FOUND` if the log holds no such project. */
export const ownerOf = ({ context }: Readonly<{ context: CommandContext }>, projectId: string) =>
  toAccounts(context, { type: 'RequireProject', projectId });

/** Executes a command that writes a resource. `undo`: its deletion, if the project was deleted before. @throws DomainError `PROJECT_NOT_FOUND` */
export const writeResource = (
  call: Readonly<{ context: CommandContext; gateway: CommandGateway }>,
  command: ProjectResourceCommand,
  undo: ResourceCommand,
): Promise<ResourceOutcome> => {
  const { context, gateway } = call;
  const { projectId } = command;
  return gateway.executeFor(toResources(context, command), ownerOf(call, projectId), toResources(context, { ...undo, projectId }));
};
