import { randomBytes, randomUUID } from 'node:crypto';
import { NOTHING_INDEXED } from '../checkpoint.js';
import type { Manifest } from '../index-files.js';

/** Name of a journal that no other process uses. */
export const newJournal = (): string => `journal-${randomUUID()}`;

/** An index without events. Its salt is its own, so that nobody can choose texts whose terms collide. */
export const newIndex = (): Omit<Manifest, 'format'> => ({
  salt: randomBytes(16).toString('hex'),
  pieces: [],
  journal: newJournal(),
  checkpoint: NOTHING_INDEXED,
  divergence: null,
});
