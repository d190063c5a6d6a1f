import { randomUUID } from 'node:crypto';
import type { Type } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import * as errors from '#api/messaging/errors.js';
import { found } from '#api/messaging/found.js';
import { CommandGateway, type Outcome } from '#api/shared/commands/command-gateway.js';
import type { AccountEvent, Creator } from '#domain/messaging/accounts/account-events.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { AccountQueries, createdProject, type ProjectDocument, revisedProject } from '#projections/messaging/accounts/queries.js';
import { accountStream, eventOf } from './account-commands.js';

/** A project as a command leaves it. */
export type WrittenProject = Readonly<{ project: ProjectDocument; readable: boolean }>;

export class CreateProject extends Command<WrittenProject> {
  constructor(
    readonly context: CommandContext,
    readonly by: Creator,
    readonly name: string,
    readonly description: string,
  ) {
    super();
  }
}

@CommandHandler(CreateProject)
class CreateProjectHandler implements ICommandHandler<CreateProject> {
  constructor(private readonly gateway: CommandGateway) {}

  async execute({ context, by, name, description }: CreateProject): Promise<WrittenProject> {
    const command = { type: 'CreateProject', projectId: randomUUID(), name, description, by } as const;
    const { events, readable } = await this.gateway.execute({ ...accountStream, context, command });
    return { project: createdProject(eventOf(events, 'ProjectCreated')), readable };
  }
}

/** Renames or describes a project. Empty texts change nothing. */
export class ReviseProject extends Command<WrittenProject> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
    readonly name: string,
    readonly description: string,
  ) {
    super();
  }
}

@CommandHandler(ReviseProject)
class ReviseProjectHandler implements ICommandHandler<ReviseProject> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly accounts: AccountQueries,
  ) {}

  /** @throws MessagingError N02 if the project was deleted since the call was admitted */
  async execute({ context, projectId, name, description }: ReviseProject): Promise<WrittenProject> {
    const before = found(await this.accounts.project(projectId), errors.projectUuidNotFound);
    const command = { type: 'ReviseProject', projectId, name, description } as const;
    const { events, readable } = await this.gateway.execute({ ...accountStream, context, command });
    return { project: revisedProject(before, eventOf(events, 'ProjectRevised')), readable };
  }
}

/** Deletes a project with its topics, subscriptions, schemas, messages and memberships. */
export class DeleteProject extends Command<Outcome<AccountEvent>> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
  ) {
    super();
  }
}

@CommandHandler(DeleteProject)
class DeleteProjectHandler implements ICommandHandler<DeleteProject> {
  constructor(private readonly gateway: CommandGateway) {}

  execute({ context, projectId }: DeleteProject): Promise<Outcome<AccountEvent>> {
    return this.gateway.execute({ ...accountStream, context, command: { type: 'DeleteProject', projectId } });
  }
}

export const projectCommandHandlers: readonly Type[] = [CreateProjectHandler, ReviseProjectHandler, DeleteProjectHandler];
