import type { Feature } from '#api/shared/feature.js';
import { OffsetsController } from './offsets.controller.js';
import { PullController } from './pull.controller.js';
import { PullRights } from './pull-rights.js';
import { RedriveController } from './redrive.controller.js';

/** Calls on subscriptions of both kinds: with a cursor, or with messages that are leased one by one. */
export const pullFeature: Feature = {
  controllers: [OffsetsController, PullController, RedriveController],
  providers: [PullRights],
};
