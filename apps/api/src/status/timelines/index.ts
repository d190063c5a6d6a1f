import type { Feature } from '#api/shared/feature.js';
import { AnswerMemory } from '#api/status/answer-memory.js';
import { FlatStatusesController } from './flat.controller.js';
import { TimelinesController } from './timelines.controller.js';
import { StatusV3Controller } from './v3-status.controller.js';

/** Flat lists first: see FlatController. */
export const timelinesFeature: Feature = {
  controllers: [FlatStatusesController, TimelinesController, StatusV3Controller],
  providers: [AnswerMemory],
};
