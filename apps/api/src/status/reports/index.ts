import type { Feature } from '#api/shared/feature.js';
import { queriesProvider } from '#api/shared/provides.js';
import { ReportQueries } from '#projections/status/reports/queries.js';
import { reportHandlers } from './commands.js';
import { ProfileNames } from './profile-names.js';
import { ReportsController } from './reports.controller.js';

export const reportsFeature: Feature = {
  controllers: [ReportsController],
  providers: [queriesProvider(ReportQueries), queriesProvider(ProfileNames), ...reportHandlers],
};
