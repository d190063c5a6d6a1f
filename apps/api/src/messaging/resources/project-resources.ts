import type { Outcome } from '#api/shared/commands/command-gateway.js';
import {
  type ResourceCommand,
  type ResourceEvent,
  type ResourcesState,
  resources,
  resourcesStream,
} from '#domain/messaging/resources/resources.js';
import type { StreamCommand } from '#domain/shared/execution.js';

/** What a command to a topic, subscription or schema results in. */
export type ResourceOutcome = Outcome<ResourceEvent>;

/** Where the commands to the topics, subscriptions and schemas of a project go. */
export const resourcesOf = (
  projectId: string,
): Pick<StreamCommand<ResourcesState, ResourceCommand, ResourceEvent>, 'stream' | 'decider'> => ({
  stream: resourcesStream(projectId),
  decider: resources,
});
