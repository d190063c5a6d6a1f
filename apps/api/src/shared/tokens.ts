import type { Clock } from '#domain/shared/clock.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import type { ClientAuthorities } from './http/tls/client-authorities.js';
import type { ServerCertificate } from './http/tls/server-certificate.js';

declare const given: unique symbol;
/** An injection token with the type of the injected value. */
export type Token<Given> = symbol & Readonly<{ [given]?: Given }>;
export const token = <Given>(name: string): Token<Given> => Symbol(name) as Token<Given>;

/** Injection tokens of values that have an interface, not a class. */
export const CLOCK = token<Clock>('Clock');
export const CONFIGURATION = token<Configuration>('Configuration');
/** Certificate of this server; `null` without TLS. */
export const CERTIFICATE = token<ServerCertificate | null>('ServerCertificate');
export const CLIENT_AUTHORITIES = token<ClientAuthorities | null>('ClientAuthorities');
export const LOGGER = token<Logger>('Logger');
export const READ_STORE = token<ReadStore>('ReadStore');
/** The present read store, even if {@link READ_STORE} shows the past. Callers and their permissions are looked up here. */
export const LIVE_READ_STORE = token<ReadStore>('LiveReadStore');
/** The present time, even if {@link CLOCK} stands still. */
export const LIVE_CLOCK = Symbol('LiveClock');
/** Set if this application only answers reads, without background work: `boolean`. */
export const READS_ONLY = Symbol('ReadsOnly');
/** Set if this process does background work (the role `push`): `boolean`. */
export const ACTS_BY_ITSELF = Symbol('ActsByItself');
export const EVENT_STORE = token<EventStore>('EventStore');
/** Decodes events of the log to readable ones of the current shape: {@link DecodeEvents}. */
export const DECODE = Symbol('DecodeEvents');
/** The address on which this server listens, once it does: {@link OwnUrl}. */
export const OWN_URL = Symbol('OwnUrl');
/** The audit index and reads of it: {@link AuditEvents}. */
export const AUDIT_EVENTS = Symbol('AuditEvents');
/** Bytes of the data of chained events: `() => Promise<number | null>`. */
export const LOG_BYTES = Symbol('LogBytes');
/** Sources of past reads, `null` on nodes without history: {@link PastSources}. */
export const PAST_SOURCES = Symbol('PastSources');
/** Keeps the documents of the past; `null` if the present read models do, or on nodes without history. */
export const HISTORY_KEEPER = token<ReadModels | null>('HistoryKeeper');
/** Computes results of large reports and answers large calls outside of the main thread; `null` if only the past is shown: {@link ResultsEngine}. */
export const RESULTS_ENGINE = Symbol('ResultsEngine');
