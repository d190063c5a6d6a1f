import type { Feature } from '#api/shared/feature.js';
import { TrendsController } from './trends.controller.js';

export const trendsFeature: Feature = { controllers: [TrendsController], providers: [] };
