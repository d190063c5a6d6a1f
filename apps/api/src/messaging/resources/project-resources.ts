import type { Outcome } from '#api/shared/commands/command-gateway.js';
import { toStreams } from '#api/shared/commands/handlers.js';
import { type ResourceCommand, type ResourceEvent, resources, resourcesStream } from '#domain/messaging/resources/resources.js';

export type ResourceOutcome = Outcome<ResourceEvent>;

export type InProject = Readonly<{ projectId: string }>;

/** A command to a topic, subscription or schema of a project. */
export type ProjectResourceCommand = ResourceCommand & InProject;

/** The topics, subscriptions and schemas of a project share a stream. */
export const toResources = toStreams(resources, ({ projectId }: ProjectResourceCommand) => resourcesStream(projectId));
