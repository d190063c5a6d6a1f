import { randomUUID } from 'node:crypto';
import * as errors from '#api/messaging/errors.js';
import { found } from '#api/messaging/found.js';
import { commandTo, commandWith, type DataOf } from '#api/shared/commands/command-of.js';
import { eventOf } from '#api/shared/commands/event-of.js';
import type { AccountCommand } from '#domain/messaging/accounts/account-commands.js';
import { AccountQueries, createdProject, type ProjectDocument, revisedProject } from '#projections/messaging/accounts/queries.js';
import { toAccounts } from './account-commands.js';

/** A project after a command. */
export type WrittenProject = Readonly<{ project: ProjectDocument; readable: boolean }>;

/** Deletes a project with its topics, subscriptions, schemas, messages and memberships. */
export class DeleteProject extends commandTo(toAccounts, 'DeleteProject') {}

export class CreateProject extends commandWith(
  [],
  async (data: Omit<DataOf<AccountCommand, 'CreateProject'>, 'projectId'>, { context, gateway }) => {
    const command = { type: 'CreateProject', projectId: randomUUID(), ...data } as const;
    const { events, readable } = await gateway.execute(toAccounts(context, command));
    return { project: createdProject(eventOf(events, 'ProjectCreated')), readable };
  },
) {}

/** Renames or describes a project. Empty texts change nothing. @throws MessagingError N02 if the project was deleted since the call was admitted */
export class ReviseProject extends commandWith(
  [AccountQueries],
  async (data: DataOf<AccountCommand, 'ReviseProject'>, { context, gateway }, accounts) => {
    const before = found(await accounts.project(data.projectId), errors.projectUuidNotFound);
    const { events, readable } = await gateway.execute(toAccounts(context, { type: 'ReviseProject', ...data }));
    return { project: revisedProject(before, eventOf(events, 'ProjectRevised')), readable };
  },
) {}
