import { queriesOf } from '#projections/shared/queries.js';
import { HEALTH, type HealthDocument, healthCollections } from './documents.js';

export type { HealthDocument } from './documents.js';

export class HealthQueries extends queriesOf(HEALTH) {
  /** `undefined` before the first check. */
  health(): Promise<HealthDocument | undefined> {
    return healthCollections.records.get(this.view, 'global');
  }
}
