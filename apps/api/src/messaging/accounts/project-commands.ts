import { randomUUID } from 'node:crypto';
import type { Provider } from '@nestjs/common';
import * as errors from '#api/messaging/errors.js';
import { found } from '#api/messaging/found.js';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import { CommandOf, CommandWith, type DataOf } from '#api/shared/commands/command-of.js';
import { eventOf } from '#api/shared/commands/event-of.js';
import { handles, passOn } from '#api/shared/commands/handlers.js';
import type { AccountCommand } from '#domain/messaging/accounts/account-commands.js';
import type { AccountEvent } from '#domain/messaging/accounts/account-events.js';
import { AccountQueries, createdProject, type ProjectDocument, revisedProject } from '#projections/messaging/accounts/queries.js';
import { toAccounts } from './account-commands.js';

/** A project after a command. */
export type WrittenProject = Readonly<{ project: ProjectDocument; readable: boolean }>;

export class CreateProject extends CommandWith<Omit<DataOf<AccountCommand, 'CreateProject'>, 'projectId'>, WrittenProject> {}

/** Renames or describes a project. Empty texts change nothing. @throws MessagingError N02 if the project was deleted since the call was admitted */
export class ReviseProject extends CommandWith<DataOf<AccountCommand, 'ReviseProject'>, WrittenProject> {}

/** Deletes a project with its topics, subscriptions, schemas, messages and memberships. */
export class DeleteProject extends CommandOf<AccountCommand, 'DeleteProject', AccountEvent> {}

export const projectHandlers: readonly Provider[] = [
  ...passOn(toAccounts, { DeleteProject }),

  handles(CreateProject, [CommandGateway], async ({ context, data }, gateway) => {
    const command = { type: 'CreateProject', projectId: randomUUID(), ...data } as const;
    const { events, readable } = await gateway.execute(toAccounts(context, command));
    return { project: createdProject(eventOf(events, 'ProjectCreated')), readable };
  }),

  handles(ReviseProject, [CommandGateway, AccountQueries], async ({ context, data }, gateway, accounts) => {
    const before = found(await accounts.project(data.projectId), errors.projectUuidNotFound);
    const { events, readable } = await gateway.execute(toAccounts(context, { type: 'ReviseProject', ...data }));
    return { project: revisedProject(before, eventOf(events, 'ProjectRevised')), readable };
  }),
];
