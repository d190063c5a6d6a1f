import { type DynamicModule, Global, Module, type Provider } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { ReadTrail } from '#api/ops-kit/read-trail.js';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import { Drain } from '#api/shared/http/connections/drain.js';
import {
  ACTS_BY_ITSELF,
  AUDIT_EVENTS,
  CERTIFICATE,
  CLIENT_AUTHORITIES,
  CLOCK,
  CONFIGURATION,
  DECODE,
  EVENT_STORE,
  HISTORY_KEEPER,
  LIVE_CLOCK,
  LIVE_READ_STORE,
  LOG_BYTES,
  LOGGER,
  OWN_URL,
  PAST_SOURCES,
  READ_STORE,
  READS_ONLY,
  RESULTS_ENGINE,
} from '#api/shared/tokens.js';
import { OwnTokens } from '#infra/edges/oidc/own-tokens.js';
import { Telemetry } from '#infra/edges/telemetry/telemetry.js';
import { ErasedSubjects } from '#infra/engine/erasure/erased-subjects.js';
import { Eraser } from '#infra/engine/erasure/eraser.js';
import { Integrity } from '#infra/engine/integrity/integrity.js';
import { Jobs } from '#infra/engine/jobs/jobs.js';
import { Completeness } from '#infra/engine/projection-runner/completeness.js';
import { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import { StreamProcessor } from '#infra/engine/stream-processor/stream-processor.js';
import { CredentialHashes } from '#infra/stores/secrets/credential-hashes.js';
import { Pseudonyms } from '#infra/stores/secrets/pseudonyms.js';
import type { Runtime } from './runtime.js';

@Global()
@Module({})
class RuntimeModule {}

/**
 * Everything below HTTP, for injection into every module.
 * @param ownUrl public URL of this server, as far as it is known
 * @param live the present runtime, if `runtime` is one of the past. Default: the same
 */
export const runtimeModule = (runtime: Runtime, ownUrl: () => string, live: Runtime = runtime): DynamicModule => {
  const readsOnly = runtime !== live || runtime.asOf !== undefined;
  const results = runtime === live && !runtime.asOf ? runtime.results : undefined;
  const providers: Provider[] = [
    { provide: CLOCK, useValue: runtime.clock },
    { provide: AUDIT_EVENTS, useValue: runtime.audit },
    { provide: LOG_BYTES, useValue: runtime.logBytes },
    { provide: HISTORY_KEEPER, useValue: runtime.keeper ?? null },
    { provide: PAST_SOURCES, useValue: runtime.past ?? null },
    { provide: RESULTS_ENGINE, useValue: results ?? null },
    { provide: CONFIGURATION, useValue: runtime.configuration },
    { provide: CERTIFICATE, useValue: runtime.certificate ?? null },
    { provide: CLIENT_AUTHORITIES, useValue: runtime.clientAuthorities ?? null },
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
    { provide: ReadTrail, useValue: runtime.reads },
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
    imports: [CqrsModule.forRoot({ commandPublisher: { publish: () => undefined } })], // only handlers receive commands
    providers,
    exports: [CqrsModule, ...providers.map((provider) => ('provide' in provider ? provider.provide : provider))],
  };
};
