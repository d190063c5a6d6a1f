import { type DynamicModule, Module } from '@nestjs/common';
import { AccountingModule } from '#api/accounting/accounting.module.js';
import { MessagingModule } from '#api/messaging/messaging.module.js';
import type { Runtime } from '#api/runtime/runtime.js';
import { runtimeModule } from '#api/runtime/runtime.module.js';
import { StatusModule } from '#api/status/status.module.js';

@Module({})
class PastServicesModule {}

/** The three services, and nothing of operations, which is about now. */
export const pastServices = (past: Runtime, live: Runtime, ownUrl: () => string): DynamicModule => ({
  module: PastServicesModule,
  imports: [runtimeModule(past, ownUrl, live), MessagingModule, AccountingModule, StatusModule],
});
