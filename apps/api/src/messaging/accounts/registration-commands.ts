import { randomUUID } from 'node:crypto';
import type { Provider } from '@nestjs/common';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import { CommandOf, CommandWith } from '#api/shared/commands/command-of.js';
import { eventOf } from '#api/shared/commands/event-of.js';
import { handles, passOn } from '#api/shared/commands/handlers.js';
import { newKey } from '#api/shared/commands/new-key.js';
import { CONFIGURATION } from '#api/shared/tokens.js';
import type { AccountCommand, Grant, Profile } from '#domain/messaging/accounts/account-commands.js';
import { type AccountEvent, type Creator, registrationSubject } from '#domain/messaging/accounts/account-events.js';
import { ErasedSubjects } from '#infra/engine/erasure/erased-subjects.js';
import { type RegistrationDocument, submittedRegistration } from '#projections/messaging/accounts/queries.js';
import { toAccounts } from './account-commands.js';
import { UserTokens } from './user-tokens.js';
import type { WrittenUser } from './written-user.js';

const DEFAULT_ROLES = ['project_admin'];

type SubmittedRegistration = Readonly<{ registration: RegistrationDocument; readable: boolean }>;

/** Asks for an account. */
export class SubmitRegistration extends CommandWith<Profile, SubmittedRegistration> {}

/** Project and roles that an approval asks to grant. `project`: empty if none is named. Default of `roles`: `project_admin`. */
export type ProjectWish = Readonly<{ project: string; roles: readonly string[] }>;

/** `createdProjects`: names by id. */
type AcceptedRegistration = WrittenUser & Readonly<{ createdProjects: ReadonlyMap<string, string> }>;

/** Creates the user who asked for an account, with a token and a project. */
export class AcceptRegistration extends CommandWith<
  Readonly<{ by: Creator; registrationId: string; wish: ProjectWish }>,
  AcceptedRegistration
> {}

export class DeclineRegistration extends CommandOf<AccountCommand, 'DeclineRegistration', AccountEvent> {}

export class DeleteRegistration extends CommandOf<AccountCommand, 'DeleteRegistration', AccountEvent> {}

/** Grant of an approval. @param createsProjects if set, an approval that names no project creates one (messaging contract 3.4) */
const grantFor = ({ project, roles }: ProjectWish, createsProjects: boolean): Readonly<{ grant?: Grant }> => {
  if (!project && !createsProjects) return {};
  return { grant: { projectId: randomUUID(), ...(project ? { project } : {}), roles: roles.length > 0 ? roles : DEFAULT_ROLES } };
};

export const registrationHandlers: readonly Provider[] = [
  ...passOn(toAccounts, { DeclineRegistration, DeleteRegistration }),

  handles(SubmitRegistration, [CommandGateway], async ({ context, data: profile }, gateway) => {
    const command = { type: 'SubmitRegistration', registrationId: randomUUID(), profile, activationToken: newKey() } as const;
    const { events, readable } = await gateway.execute(toAccounts(context, command));
    return { registration: submittedRegistration(eventOf(events, 'RegistrationSubmitted')), readable };
  }),

  handles(
    AcceptRegistration,
    [UserTokens, ErasedSubjects, CONFIGURATION],
    async ({ context, data: { by, registrationId, wish } }, tokens, erased, { messagingProjectOnApproval }) => {
      await erased.refuse(registrationSubject(registrationId)); // its data may still be in memory, and would be copied to the user
      const account = { userId: randomUUID(), by, ...grantFor(wish, messagingProjectOnApproval) };
      const given = await tokens.give(context, (token) => ({ type: 'AcceptRegistration', registrationId, token, ...account }));
      const createdProjects = new Map(
        given.events.flatMap(({ type, data }) => (type === 'ProjectCreated' ? [[data.projectId, data.name]] : [])),
      );
      return { ...given, createdProjects };
    },
  ),
];
