import { randomUUID } from 'node:crypto';
import { commandTo, commandWith } from '#api/shared/commands/command-of.js';
import { eventOf } from '#api/shared/commands/event-of.js';
import { newKey } from '#api/shared/commands/new-key.js';
import { CONFIGURATION } from '#api/shared/tokens.js';
import type { Grant, Profile } from '#domain/messaging/accounts/account-commands.js';
import { type Creator, registrationSubject } from '#domain/messaging/accounts/account-events.js';
import { ErasedSubjects } from '#infra/engine/erasure/erased-subjects.js';
import { submittedRegistration } from '#projections/messaging/accounts/queries.js';
import { toAccounts } from './account-commands.js';
import { UserTokens } from './user-tokens.js';

const DEFAULT_ROLES = ['project_admin'];

/** Project and roles that an approval asks to grant. `project`: empty if none is named. Default of `roles`: `project_admin`. */
export type ProjectWish = Readonly<{ project: string; roles: readonly string[] }>;

/** Grant of an approval. @param createsProjects if set, an approval that names no project creates one (messaging contract 3.4) */
const grantFor = ({ project, roles }: ProjectWish, createsProjects: boolean): Readonly<{ grant?: Grant }> => {
  if (!project && !createsProjects) return {};
  return { grant: { projectId: randomUUID(), ...(project ? { project } : {}), roles: roles.length > 0 ? roles : DEFAULT_ROLES } };
};

export class DeclineRegistration extends commandTo(toAccounts, 'DeclineRegistration') {}
export class DeleteRegistration extends commandTo(toAccounts, 'DeleteRegistration') {}

/** Asks for an account. */
export class SubmitRegistration extends commandWith([], async (profile: Profile, { context, gateway }) => {
  const command = { type: 'SubmitRegistration', registrationId: randomUUID(), profile, activationToken: newKey() } as const;
  const { events, readable } = await gateway.execute(toAccounts(context, command));
  return { registration: submittedRegistration(eventOf(events, 'RegistrationSubmitted')), readable };
}) {}

/** Creates the user who asked for an account, with a token and a project. `createdProjects`: names by id. */
export class AcceptRegistration extends commandWith(
  [UserTokens, ErasedSubjects, CONFIGURATION],
  async (
    { by, registrationId, wish }: Readonly<{ by: Creator; registrationId: string; wish: ProjectWish }>,
    { context },
    tokens,
    erased,
    { messagingProjectOnApproval },
  ) => {
    const check = () => erased.refuse(registrationSubject(registrationId)); // its data may still be in memory, and would be copied to the user
    const account = { userId: randomUUID(), by, ...grantFor(wish, messagingProjectOnApproval) };
    const given = await tokens.give(context, (token) => ({ type: 'AcceptRegistration', registrationId, token, ...account }), check);
    const createdProjects = new Map(
      given.events.flatMap(({ type, data }) => (type === 'ProjectCreated' ? [[data.projectId, data.name]] : [])),
    );
    return { ...given, createdProjects };
  },
) {}
