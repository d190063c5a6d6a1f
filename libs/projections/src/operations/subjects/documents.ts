import type { ErasableService } from '#domain/operations/erasures.js';
import { collection } from '#projections/shared/collection.js';
import { keyOf } from '#projections/shared/key-part.js';

/** Name of the read model. */
export const SUBJECTS = 'ops.subjects';

/** A record that was created at any time. `since`: its position in the log, as a key of {@link endings}. */
export type RecordDocument = Readonly<{
  service: ErasableService;
  kind: string;
  id: string;
  subject: string;
  since: string;
  owner: string | null;
}>;

/**
 * An event that erases data: of a record (`subject`), and of the kinds (`parts`) of records that belong to `owner` and existed at that time. `after`: key
 * of the previous such event of the owner, which erased older records. `time`: UTC, `YYYY-MM-DDTHH:MM:SS.sssZ`. `at`: its key.
 */
export type EndingDocument = Readonly<{
  id: string;
  at: string;
  after?: string;
  service: ErasableService;
  kind: string;
  subject: string | null;
  owner: string | null;
  parts: readonly string[];
  reason: string;
  requestedBy: string;
  time: string;
}>;

export type RecordId = readonly [service: string, kind: string, id: string];

const key = (parts: readonly string[]): string => keyOf(...parts);

/** Kept when the record is deleted. */
export const records = collection<RecordDocument, RecordId>('records', { key });
/** Records that are deleted with their owner, unless they were deleted before. */
export const ofOwner = collection<RecordDocument, readonly [owner: string, kind: string, id: string]>('of-owner', { key });
/** By position in the log. */
export const endings = collection<EndingDocument>('endings');
/** Keys of {@link endings} by their ids. */
export const endingsById = collection<string>('endings.by-id', { key: (id) => keyOf(id) });
/** Key of the last of {@link endings} of an owner that may be there again. */
export const lastEndings = collection<string>('endings.last', { key: (owner) => keyOf(owner) });
/** Ids of requested erasures, by subject. */
export const erasedBySubject = collection<string>('erased.by-subject', { key: (subject) => keyOf(subject) });

export const subjectCollections = [records, ofOwner, endings, endingsById, lastEndings, erasedBySubject];
