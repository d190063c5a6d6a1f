import { handlersOf } from '#api/shared/commands/command-of.js';
import type { Feature } from '#api/shared/feature.js';
import { queriesProvider } from '#api/shared/provides.js';
import { ReportQueries } from '#projections/status/reports/queries.js';
import * as reportCommands from './commands.js';
import { ProfileNames } from './profile-names.js';
import { ReportsController } from './reports.controller.js';

export const reportsFeature: Feature = {
  controllers: [ReportsController],
  providers: [queriesProvider(ReportQueries), queriesProvider(ProfileNames), ...handlersOf(reportCommands)],
};
