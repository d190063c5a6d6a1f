import type { Type } from '@nestjs/common';
import { TrendsController } from '#api/status/trends/trends.controller.js';
import { ResultsController } from './results.controller.js';
import { ResultsV3Controller } from './results-v3.controller.js';

/** Availability, reliability and trends. */
export const resultControllers: readonly Type[] = [ResultsController, ResultsV3Controller, TrendsController];
