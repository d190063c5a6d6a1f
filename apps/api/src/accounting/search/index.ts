import type { Feature } from '#api/shared/feature.js';
import { MetricSearch } from './metric-search.js';
import { SearchesController } from './searches.controller.js';
import { VocabularyController } from './vocabulary.controller.js';

export const searchFeature: Feature = { controllers: [SearchesController, VocabularyController], providers: [MetricSearch] };
