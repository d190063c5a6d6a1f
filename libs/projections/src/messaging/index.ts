import type { Projection } from '../shared/projection.js';
import { accountsProjection } from './accounts.js';
import { countersProjection } from './counters.js';
import { resourcesProjection } from './resources.js';

/** Every read model of the messaging service. */
export const messagingProjections: readonly Projection[] = [accountsProjection, resourcesProjection, countersProjection];
