import type { Feature } from '#api/shared/feature.js';
import { queriesProvider } from '#api/shared/provides.js';
import { ReportQueries } from '#projections/accounting/reports/queries.js';
import { ReportReader } from './report-reader.js';
import { ReportsController } from './reports.controller.js';

export const reportsFeature: Feature = { controllers: [ReportsController], providers: [queriesProvider(ReportQueries), ReportReader] };
