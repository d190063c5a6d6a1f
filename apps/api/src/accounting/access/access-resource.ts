import { Inject } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { accountingCaller } from '#api/accounting/http-policy.js';
import { pageOfDocuments, pagingOf, sendPage } from '#api/accounting/paging.js';
import { newObjectId } from '#api/accounting/responses.js';
import { AccountingWriter } from '#api/accounting/writer.js';
import { READ_STORE } from '#api/shared/tokens.js';
import type { AccessCommand } from '#domain/accounting/access/access-commands.js';
import { ACCESS_STREAM, type AccessEvent } from '#domain/accounting/access/access-events.js';
import { access } from '#domain/accounting/access/access-rules.js';
import { storedObjectId } from '#domain/accounting/object-id.js';
import { DomainError } from '#domain/shared/decider.js';
import { ACCESS_PROJECTION } from '#projections/accounting/access/access.js';
import type { ReadStore, ReadView } from '#projections/shared/read-store.js';
import { requireSystem } from './permissions.js';

/** Path parameter of the calls on one record. */
export type IdPath = Readonly<{ id: string }>;

/** An id of a path as commands take it. */
export const stored = (id: string): string => storedObjectId(id) ?? id;

/** What the controllers of clients, entitlements, OIDC tenants and settings share: reads of one projection, writes to one stream. */
export abstract class AccessResource {
  protected readonly view: ReadView;

  constructor(
    private readonly writer: AccountingWriter,
    @Inject(READ_STORE) store: ReadStore,
  ) {
    this.view = store.view(ACCESS_PROJECTION);
  }

  protected newId(): string {
    return newObjectId(this.writer.clock);
  }

  /** The record of an id, from a collection by ids. */
  protected async find<Document>(collection: string, id: string): Promise<Document | undefined> {
    const key = storedObjectId(id);
    const bytes = key === undefined ? null : await this.view.get(collection, key);
    return bytes === null ? undefined : (JSON.parse(bytes.toString('utf8')) as Document);
  }

  /** Answers a system administrator with a page of a whole collection. @throws AccountingError 403, 400 */
  protected async sendList(request: FastifyRequest, reply: FastifyReply, collection: string): Promise<void> {
    requireSystem(accountingCaller(request));
    const paging = pagingOf(request);
    sendPage(request, reply, paging, await pageOfDocuments(this.view, collection, {}, paging));
  }

  /** The events that answer the command. @throws DomainError, about an id of the path as the caller spelled it */
  protected async write(request: FastifyRequest, reply: FastifyReply, command: AccessCommand): Promise<readonly AccessEvent[]> {
    try {
      return await this.writer.write(request, reply, { stream: ACCESS_STREAM, decider: access, command });
    } catch (error) {
      const missing = error instanceof DomainError ? error.details.id : undefined;
      const spelled = Object.values(request.params as Readonly<Record<string, string>>).find((id) => stored(id) === missing);
      throw error instanceof DomainError && spelled !== undefined ? new DomainError(error.code, { id: spelled }) : error;
    }
  }
}
