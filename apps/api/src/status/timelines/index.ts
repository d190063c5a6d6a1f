import type { Provider, Type } from '@nestjs/common';
import { FlatStatusesController } from './flat.controller.js';
import { heldAnswersProvider } from './held-answers.js';
import { TimelinesController } from './timelines.controller.js';
import { StatusV3Controller } from './v3-status.controller.js';

/** Flat lists first: see there. */
export const timelineControllers: readonly Type[] = [FlatStatusesController, TimelinesController, StatusV3Controller];

export const timelineProviders: readonly Provider[] = [heldAnswersProvider];
