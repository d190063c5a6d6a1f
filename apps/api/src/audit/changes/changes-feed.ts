import { Inject, Injectable } from '@nestjs/common';
import { Names } from '#api/operations/names/names.js';
import { AUDIT_EVENTS, EVENT_STORE } from '#api/shared/tokens.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { AuditEvents } from '#infra/engine/audit-index/open-audit-index.js';
import { type ChangesPage, type ChangesRequest, PageOfChanges } from './page-of-changes.js';

/** Changes, newest first, as sentences (console contract 6). */
@Injectable()
export class ChangesFeed {
  constructor(
    @Inject(AUDIT_EVENTS) private readonly audit: AuditEvents,
    @Inject(EVENT_STORE) private readonly events: EventStore,
    private readonly names: Names,
  ) {}

  /** @throws AuditIndexIncomplete, EventStoreUnavailable */
  page(request: ChangesRequest): Promise<ChangesPage> {
    const { audit, events, names } = this;
    return new PageOfChanges({ audit, events, names }, request).find();
  }
}
