import type { Provider, Type } from '@nestjs/common';
import { OperationsProfilesController, WeightsController } from './dated-kinds.js';
import { TenantsController } from './tenants.controller.js';
import { WriteDatedRecordHandler } from './write-dated-record.js';
import { WriteTenantHandler } from './write-tenant.js';

export const statusControllers: readonly Type[] = [OperationsProfilesController, WeightsController, TenantsController];
export const statusProviders: readonly Provider[] = [WriteDatedRecordHandler, WriteTenantHandler];
