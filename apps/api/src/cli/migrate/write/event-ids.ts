import { hash } from 'node:crypto';

/** The document of the original that something comes from. */
export type Origin = Readonly<{ collection: string; id: string }>;

/**
 * A UUID (version 8) that the same parts always lead to: the same document makes the same events in each run, so that the log knows those that it has
 * (docs/decisions/0040-migrated-events.md).
 */
export const derivedId = (...parts: readonly (string | number)[]): string => {
  const digest = hash('sha256', JSON.stringify(['logbook migrate', ...parts]), 'hex');
  const variant = '89ab'[Number.parseInt(digest.charAt(16), 16) % 4];
  return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-8${digest.slice(13, 16)}-${variant}${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
};
