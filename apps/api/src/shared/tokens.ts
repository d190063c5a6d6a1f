/** Injection tokens of what has an interface, not a class. */
export const CLOCK = Symbol('Clock');
export const READ_STORE = Symbol('ReadStore');
export const EVENT_STORE = Symbol('EventStore');
