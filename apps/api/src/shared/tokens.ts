import type { Clock } from '#domain/shared/clock.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import type { ClientAuthorities } from './http/tls/client-authorities.js';
import type { ServerCertificate } from './http/tls/server-certificate.js';

declare const given: unique symbol;
/** An injection token that says the type of what is given for it. */
export type Token<Given> = symbol & Readonly<{ [given]?: Given }>;
export const token = <Given>(name: string): Token<Given> => Symbol(name) as Token<Given>;

/** Injection tokens of what has an interface, not a class. */
export const CLOCK = token<Clock>('Clock');
export const CONFIGURATION = token<Configuration>('Configuration');
/** What this server shows as a TLS server; `null` without TLS. */
export const CERTIFICATE = token<ServerCertificate | null>('ServerCertificate');
export const CLIENT_AUTHORITIES = token<ClientAuthorities | null>('ClientAuthorities');
export const LOGGER = token<Logger>('Logger');
export const READ_STORE = token<ReadStore>('ReadStore');
/** The read store as of now, also where {@link READ_STORE} shows the past: who calls and what they may do is looked up here. */
export const LIVE_READ_STORE = token<ReadStore>('LiveReadStore');
/** The time of now, also where {@link CLOCK} stands still. */
export const LIVE_CLOCK = Symbol('LiveClock');
/** Whether this application only answers reads, without any work of its own in the background: `boolean`. */
export const READS_ONLY = Symbol('ReadsOnly');
/** Whether this process does what happens by itself (the role `push`): a boolean. */
export const ACTS_BY_ITSELF = Symbol('ActsByItself');
export const EVENT_STORE = token<EventStore>('EventStore');
/** Turns events of the log into readable ones of the current shape: {@link DecodeEvents}. */
export const DECODE = Symbol('DecodeEvents');
/** The address under which this server listens, once it does: {@link OwnUrl}. */
export const OWN_URL = Symbol('OwnUrl');
/** The audit index and what is read from it: {@link AuditEvents}. */
export const AUDIT_EVENTS = Symbol('AuditEvents');
/** Bytes of the data of chained events: `() => Promise<number | null>`. */
export const LOG_BYTES = Symbol('LogBytes');
/** What the past is read from, `null` on nodes without history: {@link PastSources}. */
export const PAST_SOURCES = Symbol('PastSources');
/** What computes results of large reports beside the main thread; `null` where only the past is shown: {@link ResultsEngine}. */
export const RESULTS_ENGINE = Symbol('ResultsEngine');
/** What answers large calls for results beside the main thread; `null` where that is not done: {@link LargeCalls}. */
export const LARGE_CALLS = Symbol('LargeCalls');
