import { accountsProjection } from '#projections/messaging/accounts/projection.js';
import { resourcesProjection } from '#projections/messaging/resources/projection.js';
import { countersProjection } from '#projections/messaging/traffic/projection.js';
import type { Projection } from '#projections/shared/projection.js';

export const messagingProjections: readonly Projection[] = [accountsProjection, resourcesProjection, countersProjection];
