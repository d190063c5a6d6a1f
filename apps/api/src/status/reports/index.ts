import type { Provider, Type } from '@nestjs/common';
import { queriesProvider } from '#api/shared/queries-provider.js';
import { ReportQueries } from '#projections/status/reports/queries.js';
import { reportHandlers } from './commands.js';
import { ProfileNames } from './profile-names.js';
import { ReportsController } from './reports.controller.js';

export const reportControllers: readonly Type[] = [ReportsController];
export const reportProviders: readonly Provider[] = [queriesProvider(ReportQueries), queriesProvider(ProfileNames), ...reportHandlers];
