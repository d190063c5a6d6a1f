import type { Feature } from '#api/shared/feature.js';
import { controllerOf } from '#api/status/reads.js';
import { TRENDS } from './reads.js';

export const TrendsController = controllerOf(TRENDS);

export const trendsFeature: Feature = { controllers: [TrendsController], providers: [] };
