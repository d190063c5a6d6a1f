import { queriesOf } from '#projections/shared/queries.js';
import { HEALTH, type HealthDocument, healthCollections } from './documents.js';

export type { HealthDocument } from './documents.js';

/** What was said last about the health of the installation. */
export class HealthQueries extends queriesOf(HEALTH) {
  /** `undefined`: there was no check yet. */
  health(): Promise<HealthDocument | undefined> {
    return healthCollections.records.get(this.view, 'global');
  }
}
