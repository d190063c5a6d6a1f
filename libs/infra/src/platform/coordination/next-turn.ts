/** Resolves in the next turn of the event loop, once all requests at hand have been served: for long work between its steps. */
export { setImmediate as nextTurn } from 'node:timers/promises';
