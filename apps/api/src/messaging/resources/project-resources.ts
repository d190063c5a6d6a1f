import type { Outcome } from '#api/shared/commands/command-gateway.js';
import {
  type ResourceCommand,
  type ResourceEvent,
  type ResourcesState,
  resources,
  resourcesStream,
} from '#domain/messaging/resources/resources.js';
import type { CommandContext, StreamCommand } from '#domain/shared/execution.js';

export type ResourceOutcome = Outcome<ResourceEvent>;

export type InProject = Readonly<{ projectId: string }>;

/** A command to a topic, subscription or schema of a project. */
export type ProjectResourceCommand = ResourceCommand & InProject;

/** The topics, subscriptions and schemas of a project share a stream. */
export const toResources = (
  context: CommandContext,
  command: ProjectResourceCommand,
): StreamCommand<ResourcesState, ResourceCommand, ResourceEvent> => ({
  stream: resourcesStream(command.projectId),
  decider: resources,
  context,
  command,
});
