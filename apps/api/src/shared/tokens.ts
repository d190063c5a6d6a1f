/** Injection tokens of what has an interface, not a class. */
export const CLOCK = Symbol('Clock');
export const CONFIGURATION = Symbol('Configuration');
export const LOGGER = Symbol('Logger');
export const READ_STORE = Symbol('ReadStore');
export const EVENT_STORE = Symbol('EventStore');
/** Turns events of the log into readable ones of the current shape: {@link DecodeEvents}. */
export const DECODE = Symbol('DecodeEvents');
/** The address under which this server listens, once it does: {@link OwnUrl}. */
export const OWN_URL = Symbol('OwnUrl');
/** The audit index and what is read from it: {@link AuditEvents}. */
export const AUDIT_EVENTS = Symbol('AuditEvents');
