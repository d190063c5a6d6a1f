import { type DynamicModule, Global, Module, type Provider } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { Integrity } from '#infra/integrity/integrity.js';
import { Jobs } from '#infra/jobs/jobs.js';
import { OwnTokens } from '#infra/oidc/own-tokens.js';
import { Completeness } from '#infra/projection-runner/completeness.js';
import { ReadModels } from '#infra/projection-runner/read-models.js';
import { CredentialHashes } from '#infra/secrets/credential-hashes.js';
import { ErasedSubjects } from '#infra/secrets/erased-subjects.js';
import { Eraser } from '#infra/secrets/eraser.js';
import { Pseudonyms } from '#infra/secrets/pseudonyms.js';
import { StreamProcessor } from '#infra/stream-processor/stream-processor.js';
import { Telemetry } from '#infra/telemetry/telemetry.js';
import type { Runtime } from './runtime.js';
import { CommandGateway } from './shared/commands/command-gateway.js';
import { Drain } from './shared/http/drain.js';
import {
  ACTS_BY_ITSELF,
  AUDIT_EVENTS,
  CLOCK,
  CONFIGURATION,
  DECODE,
  EVENT_STORE,
  LARGE_CALLS,
  LIVE_CLOCK,
  LIVE_READ_STORE,
  LOG_BYTES,
  LOGGER,
  OWN_URL,
  PAST_SOURCES,
  READ_STORE,
  READS_ONLY,
  RESULTS_ENGINE,
} from './shared/tokens.js';

@Global()
@Module({})
class RuntimeModule {}

/**
 * Everything below HTTP, for injection into every module.
 * @param ownUrl where clients find this server, as far as it is known
 * @param live where that is a runtime of the past: the one of now. Default: the same
 */
export const runtimeModule = (runtime: Runtime, ownUrl: () => string, live: Runtime = runtime): DynamicModule => {
  const readsOnly = runtime !== live || runtime.asOf !== undefined;
  const providers: Provider[] = [
    { provide: CLOCK, useValue: runtime.clock },
    { provide: AUDIT_EVENTS, useValue: runtime.audit },
    { provide: LOG_BYTES, useValue: runtime.logBytes },
    { provide: PAST_SOURCES, useValue: runtime.past ?? null },
    { provide: RESULTS_ENGINE, useValue: runtime === live && !runtime.asOf ? (runtime.results ?? null) : null },
    { provide: LARGE_CALLS, useValue: runtime === live && !runtime.asOf ? (runtime.largeCalls ?? null) : null },
    { provide: CONFIGURATION, useValue: runtime.configuration },
    { provide: LOGGER, useValue: runtime.logger },
    { provide: Telemetry, useValue: runtime.telemetry },
    { provide: EVENT_STORE, useValue: runtime.eventStore },
    { provide: DECODE, useValue: runtime.decode },
    { provide: READ_STORE, useValue: runtime.readStore },
    { provide: LIVE_READ_STORE, useValue: live.readStore },
    { provide: LIVE_CLOCK, useValue: live.clock },
    { provide: READS_ONLY, useValue: readsOnly },
    { provide: ACTS_BY_ITSELF, useValue: !readsOnly && runtime.configuration.roles.includes('push') },
    { provide: StreamProcessor, useValue: runtime.processor },
    { provide: ReadModels, useValue: runtime.readModels },
    { provide: Completeness, useValue: runtime.completeness },
    { provide: Drain, useValue: live.drain },
    { provide: Jobs, useValue: runtime.jobs },
    { provide: Eraser, useValue: runtime.erasing.eraser },
    { provide: ErasedSubjects, useValue: runtime.erasing.subjects },
    { provide: Integrity, useValue: runtime.integrity },
    { provide: CredentialHashes, useValue: runtime.credentialHashes },
    { provide: Pseudonyms, useValue: runtime.pseudonyms },
    { provide: OwnTokens, useValue: runtime.ownTokens },
    { provide: OWN_URL, useValue: ownUrl },
    CommandGateway,
  ];
  return {
    module: RuntimeModule,
    imports: [CqrsModule.forRoot()],
    providers,
    exports: [CqrsModule, ...providers.map((provider) => ('provide' in provider ? provider.provide : provider))],
  };
};
