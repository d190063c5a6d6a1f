import type { Feature } from '#api/shared/feature.js';
import { FlatStatusesController } from './flat.controller.js';
import { HeldAnswers } from './held-answers.js';
import { TimelinesController } from './timelines.controller.js';
import { StatusV3Controller } from './v3-status.controller.js';

/** Flat lists first: see there. */
export const timelinesFeature: Feature = {
  controllers: [FlatStatusesController, TimelinesController, StatusV3Controller],
  providers: [HeldAnswers],
};
