import { derivedId as idOf } from '#api/shared/commands/derived-id.js';

/** The document of the original from which a record is derived. */
export type DocumentOrigin = Readonly<{ collection: string; id: string }>;

/**
 * A UUID derived from the parts: the same document creates the same events in each run, so that the log recognises existing ones
 * (docs/decisions/0040-migrated-events.md).
 */
export const derivedId = (...parts: readonly (string | number)[]): string => idOf(JSON.stringify(['logbook migrate', ...parts]));
