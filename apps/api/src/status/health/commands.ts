import type { Provider } from '@nestjs/common';
import { CommandOf } from '#api/shared/commands/command-of.js';
import { passOn, toStreams } from '#api/shared/commands/handlers.js';
import { HEALTH_STREAM, type HealthCommand, type HealthEvent, health } from '#domain/status/health/health.js';

/** Reports the result of the last check of the installation. */
export class ReportConsistency extends CommandOf<HealthCommand, 'ReportConsistency', HealthEvent> {}

/** Overrides the checks for some hours. */
export class AcknowledgeConsistency extends CommandOf<HealthCommand, 'AcknowledgeConsistency', HealthEvent> {}

const toHealth = toStreams(health, () => HEALTH_STREAM);

export const healthHandlers: readonly Provider[] = passOn(toHealth, { ReportConsistency, AcknowledgeConsistency });
