import type { Provider } from '@nestjs/common';
import { CatalogueMemory } from '#api/accounting/catalogue/catalogue-memory.js';
import { ReportReader } from '#api/accounting/reports/report-reader.js';
import { MetricSearch } from '#api/accounting/search/metric-search.js';
import { MetricLists } from './metric-lists.js';
import { MetricWriter } from './metric-writer.js';
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
