import { Inject } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import * as errors from '#api/messaging/errors.js';
import { messagingCall } from '#api/messaging/http-policy.js';
import { MessagingWriter } from '#api/messaging/messaging-writer.js';
import { newKey } from '#api/shared/commands/new-key.js';
import { CLOCK, READ_STORE } from '#api/shared/tokens.js';
import type { AccountCommand, NewToken } from '#domain/messaging/accounts/account-commands.js';
import { ACCOUNTS_STREAM, type AccountEvent, type Creator } from '#domain/messaging/accounts/account-events.js';
import { accounts } from '#domain/messaging/accounts/accounts.js';
import type { Clock } from '#domain/shared/clock.js';
import { hashCredential } from '#infra/secrets/hash-credential.js';
import type { ExecutedEvent } from '#infra/stream-processor/execution.js';
import { changedUser, createdUser, type UserDocument } from '#projections/messaging/accounts/account-documents.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { AccountReader } from './account-reader.js';
import { UserPresenter } from './user-presenter.js';

type Executed = readonly ExecutedEvent<AccountEvent>[];

/** What the controllers of accounts share. Answers to writes are made of their events, not of read models that may be behind. */
export abstract class AccountResource {
  protected readonly reader: AccountReader;
  protected readonly presenter: UserPresenter;
  private readonly writer: MessagingWriter;

  constructor(commands: CommandBus, @Inject(READ_STORE) store: ReadStore, @Inject(CLOCK) clock: Clock) {
    this.reader = new AccountReader(store);
    this.presenter = new UserPresenter(this.reader, store);
    this.writer = new MessagingWriter(commands, clock);
  }

  /** The events that the command led to, now or when its `Idempotency-Key` came first. @throws DomainError */
  protected write(request: FastifyRequest, reply: FastifyReply, command: AccountCommand): Promise<Executed> {
    return this.writer.write(request, reply, { stream: ACCOUNTS_STREAM, decider: accounts, command });
  }

  /** The event of this type that a command was bound to lead to. */
  protected eventOf<Type extends AccountEvent['type']>(events: Executed, type: Type): Extract<Executed[number], { type: Type }> {
    const event = events.find((one): one is Extract<Executed[number], { type: Type }> => one.type === type);
    if (!event) throw new Error(`a command did not lead to ${type}`);
    return event;
  }

  /** The user that a command created or changed, as it is by that. @throws MessagingError N06 when it was deleted since */
  protected async userAfter(events: Executed): Promise<UserDocument> {
    for (const event of events) {
      switch (event.type) {
        case 'UserCreated':
          return createdUser(event);
        case 'UserRevised':
        case 'UserTokenRefreshed':
        case 'MemberAdded':
        case 'MemberRolesReplaced': {
          const [before] = await this.reader.users([event.data.userId]);
          if (!before) throw errors.userNotFound();
          return changedUser(before, event);
        }
      }
    }
    throw new Error('a command led to no user');
  }

  /** @throws MessagingError N06 */
  protected async userNamed(name: string): Promise<UserDocument> {
    const user = await this.reader.userNamed(name);
    if (!user) throw errors.userNotFound();
    return user;
  }

  /** The name that who did something has now; nothing when it was no user, or is gone. */
  protected async nameOf(creator: Creator): Promise<string | undefined> {
    return creator === null ? undefined : (await this.reader.namesOf([creator])).get(creator);
  }

  /** Who calls, as created things remember it. */
  protected creator(request: FastifyRequest): Creator {
    return messagingCall(request).caller.userId;
  }
}

export const newToken = (): NewToken => {
  const token = newKey();
  return { token, tokenHash: hashCredential(token) };
};
