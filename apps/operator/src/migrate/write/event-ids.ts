import { derivedId as idOf } from '#api/shared/commands/derived-id.js';

/** The document of the original that something comes from. */
export type DocumentOrigin = Readonly<{ collection: string; id: string }>;

/**
 * A UUID that the same parts always lead to: the same document makes the same events in each run, so that the log knows those that it has
 * (docs/decisions/0040-migrated-events.md).
 */
export const derivedId = (...parts: readonly (string | number)[]): string => idOf(JSON.stringify(['logbook migrate', ...parts]));
