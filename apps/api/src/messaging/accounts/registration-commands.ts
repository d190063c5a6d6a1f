import { randomUUID } from 'node:crypto';
import { Inject, type Type } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandGateway, type Outcome } from '#api/shared/commands/command-gateway.js';
import { newKey } from '#api/shared/commands/new-key.js';
import { CONFIGURATION } from '#api/shared/tokens.js';
import type { Grant, Profile } from '#domain/messaging/accounts/account-commands.js';
import type { AccountEvent, Creator } from '#domain/messaging/accounts/account-events.js';
import { registrationSubject } from '#domain/messaging/accounts/account-events.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { ErasedSubjects } from '#infra/engine/erasure/erased-subjects.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import { CredentialHashes } from '#infra/stores/secrets/credential-hashes.js';
import { AccountQueries, type RegistrationDocument, submittedRegistration } from '#projections/messaging/accounts/queries.js';
import { accountStream, eventOf, newToken } from './account-commands.js';
import { type WrittenUser, writtenUser } from './written-user.js';

const DEFAULT_ROLES = ['project_admin'];

export type SubmittedRegistration = Readonly<{ registration: RegistrationDocument; readable: boolean }>;

/** Asks for an account. */
export class SubmitRegistration extends Command<SubmittedRegistration> {
  constructor(
    readonly context: CommandContext,
    readonly profile: Profile,
  ) {
    super();
  }
}

@CommandHandler(SubmitRegistration)
class SubmitRegistrationHandler implements ICommandHandler<SubmitRegistration> {
  constructor(private readonly gateway: CommandGateway) {}

  async execute({ context, profile }: SubmitRegistration): Promise<SubmittedRegistration> {
    const command = { type: 'SubmitRegistration', registrationId: randomUUID(), profile, activationToken: newKey() } as const;
    const { events, readable } = await this.gateway.execute({ ...accountStream, context, command });
    return { registration: submittedRegistration(eventOf(events, 'RegistrationSubmitted')), readable };
  }
}

/** The project that an approval is to hand out, empty if it names none, and the roles in it, `project_admin` if it names none. */
export type ProjectWish = Readonly<{ project: string; roles: readonly string[] }>;

/** `createdProjects`: names by id. */
export type AcceptedRegistration = WrittenUser & Readonly<{ createdProjects: ReadonlyMap<string, string> }>;

/** Creates the user who asked for an account, with a token and a project. */
export class AcceptRegistration extends Command<AcceptedRegistration> {
  constructor(
    readonly context: CommandContext,
    readonly by: Creator,
    readonly registrationId: string,
    readonly wish: ProjectWish,
  ) {
    super();
  }
}

@CommandHandler(AcceptRegistration)
class AcceptRegistrationHandler implements ICommandHandler<AcceptRegistration> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly credentialHashes: CredentialHashes,
    private readonly erased: ErasedSubjects,
    private readonly accounts: AccountQueries,
    @Inject(CONFIGURATION) private readonly configuration: Pick<Configuration, 'messagingProjectOnApproval'>,
  ) {}

  async execute({ context, by, registrationId, wish }: AcceptRegistration): Promise<AcceptedRegistration> {
    await this.erased.refuse(registrationSubject(registrationId)); // its data may still be in memory, and would be those of the user
    const grant = this.grantFor(wish);
    const account = { userId: randomUUID(), token: newToken(this.credentialHashes), by };
    const command = { type: 'AcceptRegistration', registrationId, ...account, ...(grant ? { grant } : {}) } as const;
    const outcome = await this.gateway.execute({ ...accountStream, context, command });
    const createdProjects = new Map(
      outcome.events.flatMap(({ type, data }) => (type === 'ProjectCreated' ? [[data.projectId, data.name]] : [])),
    );
    return { ...(await writtenUser(this.accounts, outcome)), createdProjects };
  }

  /** `undefined` if the approval names no project and the server is configured to issue only what approvals name (messaging contract 3.4). */
  private grantFor({ project, roles }: ProjectWish): Grant | undefined {
    if (!project && !this.configuration.messagingProjectOnApproval) return undefined;
    return { projectId: randomUUID(), ...(project ? { project } : {}), roles: roles.length > 0 ? roles : DEFAULT_ROLES };
  }
}

export class DeclineRegistration extends Command<Outcome<AccountEvent>> {
  constructor(
    readonly context: CommandContext,
    readonly by: Creator,
    readonly registrationId: string,
    readonly comment: string,
  ) {
    super();
  }
}

@CommandHandler(DeclineRegistration)
class DeclineRegistrationHandler implements ICommandHandler<DeclineRegistration> {
  constructor(private readonly gateway: CommandGateway) {}

  execute({ context, by, registrationId, comment }: DeclineRegistration): Promise<Outcome<AccountEvent>> {
    const command = { type: 'DeclineRegistration', registrationId, comment, by } as const;
    return this.gateway.execute({ ...accountStream, context, command });
  }
}

export class DeleteRegistration extends Command<Outcome<AccountEvent>> {
  constructor(
    readonly context: CommandContext,
    readonly registrationId: string,
  ) {
    super();
  }
}

@CommandHandler(DeleteRegistration)
class DeleteRegistrationHandler implements ICommandHandler<DeleteRegistration> {
  constructor(private readonly gateway: CommandGateway) {}

  execute({ context, registrationId }: DeleteRegistration): Promise<Outcome<AccountEvent>> {
    return this.gateway.execute({ ...accountStream, context, command: { type: 'DeleteRegistration', registrationId } });
  }
}

export const registrationCommandHandlers: readonly Type[] = [
  SubmitRegistrationHandler,
  AcceptRegistrationHandler,
  DeclineRegistrationHandler,
  DeleteRegistrationHandler,
];
