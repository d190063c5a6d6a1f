import { commandTo } from '#api/shared/commands/command-of.js';
import { toStreams } from '#api/shared/commands/handlers.js';
import { HEALTH_STREAM, health } from '#domain/status/health/health.js';

const toHealth = toStreams(health, () => HEALTH_STREAM);

/** Reports the result of the last check of the installation. */
export class ReportConsistency extends commandTo(toHealth, 'ReportConsistency') {}

/** Overrides the checks for some hours. */
export class AcknowledgeConsistency extends commandTo(toHealth, 'AcknowledgeConsistency') {}
