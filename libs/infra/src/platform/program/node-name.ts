import { hostname } from 'node:os';

/** Name of this process among the nodes of an installation, for people: host and process id. */
export const nodeName = (): string => `${hostname()}:${process.pid}`;
