import type { Provider } from '@nestjs/common';
import { READ_STORE } from '#api/shared/tokens.js';
import { ReportQueries } from '#projections/accounting/reports/queries.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { ReportReader } from './report-reader.js';

export const reportProviders: readonly Provider[] = [
  { provide: ReportQueries, useFactory: (store: ReadStore) => new ReportQueries(store), inject: [READ_STORE] },
  ReportReader,
];
