import type { Provider } from '@nestjs/common';
import { queriesProvider } from '#api/shared/queries-provider.js';
import { ReportQueries } from '#projections/accounting/reports/queries.js';
import { ReportReader } from './report-reader.js';

export const reportProviders: readonly Provider[] = [queriesProvider(ReportQueries), ReportReader];
