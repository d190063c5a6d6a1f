import type { CatalogueOf } from '#domain/shared/catalogue.js';
import type { Decider } from '#domain/shared/decider.js';
import { none } from '#domain/shared/resource-change.js';

/** The messages about these changes are in the topic. `notices`: positions of the events with the changes, as in the read model. */
export type StatusNoticesPublished = Readonly<{
  type: 'StatusNoticesPublished';
  data: Readonly<{ tenantId: string; notices: readonly string[]; messages: number }>;
}>;

type RecordPublished = Readonly<{ tenantId: string; notices: readonly string[]; messages: number }>;

export const PUBLISHED_NOTICES_CATEGORY = 'status.published_notices';
export const streamOfPublishedNotices = (tenantId: string): string => `${PUBLISHED_NOTICES_CATEGORY}-${tenantId}`;

export const publishedNoticesEvents: CatalogueOf<StatusNoticesPublished> = { StatusNoticesPublished: { resource: none } };

/** Publications are independent facts. */
export const publishedNotices: Decider<null, RecordPublished, StatusNoticesPublished> = {
  window: 0,
  initialState: () => null,
  decide: ({ tenantId, notices, messages }) =>
    notices.length === 0 ? [] : [{ type: 'StatusNoticesPublished', data: { tenantId, notices, messages } }],
  evolve: (state) => state,
};
