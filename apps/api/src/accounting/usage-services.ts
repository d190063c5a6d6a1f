import type { Provider } from '@nestjs/common';
import { CatalogueMemory } from './catalogue-memory.js';
import { MetricLists } from './metric-lists.js';
import { MetricSearch } from './metric-search.js';
import { MetricWriter } from './metric-writer.js';
import { ReportReader } from './report-reader.js';
import { UsageReader } from './usage-reader.js';
import { UsageScopes } from './usage-scopes.js';

/** What the controllers of metrics, capacities and reports work with. */
export const usageServices: readonly Provider[] = [
  CatalogueMemory,
  UsageReader,
  UsageScopes,
  MetricLists,
  MetricSearch,
  MetricWriter,
  ReportReader,
];
