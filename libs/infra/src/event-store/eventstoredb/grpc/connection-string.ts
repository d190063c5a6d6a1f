import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { LONGEST_TIMER_MS } from '#infra/coordination/alarm.js';
import type { Endpoint } from './call.js';
import type { SessionOptions } from './session.js';

/** Where the servers are, and how to speak with them. */
export type ConnectionSettings = Readonly<{
  /** One: the node itself, unless `discover`. Several: nodes of a cluster. */
  hosts: readonly Endpoint[];
  /** Ask the hosts which node leads the cluster. */
  discover: boolean;
  session: SessionOptions;
  /** Milliseconds. Default 5,000. */
  gossipTimeoutMs: number;
}>;

const DEFAULT_PORT = 2113;
const DEFAULT_KEEP_ALIVE_MS = 10_000;
const DEFAULT_GOSSIP_SECONDS = 5;

const FORM = /^(?:esdb|kurrentdb|kurrent|kdb)(\+discover)?:\/\/(?:([^:/?#]+):([^@/?#]+)@)?([^@/?#]+)\/?(?:\?(.*))?$/;

/**
 * Reads `esdb://`, `kurrentdb://` and their short forms, `+discover` for clusters, as the clients of EventStoreDB and KurrentDB do: names of options
 * in any letter case, unknown ones ignored. Relative paths of certificates start in the working directory.
 * @throws Error malformed, or a certificate cannot be read; the message contains no part of the string
 */
export const parseConnectionString = (text: string): ConnectionSettings => {
  const [, discover, user, password, hosts = '', query = ''] = FORM.exec(text.trim()) ?? malformed();
  const options = new Map([...new URLSearchParams(query)].map(([name, value]) => [name.toLowerCase().replace(/[_-]/g, ''), value.trim()]));
  const endpoints = hosts.replace(/,$/, '').split(',').map(endpointOf);
  const secure = options.get('tls')?.toLowerCase() === 'false' ? undefined : certificatesOf(options);
  const connectionName = options.get('connectionname') ?? 'logbook';
  return {
    hosts: endpoints,
    discover: discover !== undefined || endpoints.length > 1,
    session: {
      secure,
      headers: {
        'connection-name': connectionName,
        // Only the leader certainly shows what was acknowledged. A follower answers with the leader's address.
        'requires-leader': 'true',
        // Without TLS servers take none, and everybody would read them.
        ...(secure && user && password && { authorization: basic(user, password) }),
      },
      keepAliveMs: numberOf(options.get('keepaliveinterval'), DEFAULT_KEEP_ALIVE_MS),
      keepAliveTimeoutMs: timeoutOf(numberOf(options.get('keepalivetimeout'), DEFAULT_KEEP_ALIVE_MS)),
    },
    gossipTimeoutMs: numberOf(options.get('gossiptimeout'), DEFAULT_GOSSIP_SECONDS) * 1_000,
  };
};

const malformed = (): never => {
  throw new Error('EventStoreDB: malformed connection string');
};

const endpointOf = (text: string): Endpoint => {
  const [, inBrackets, name, port = `${DEFAULT_PORT}`] =
    /^(?:\[([\da-fA-F:.]+)\]|([^:[\]\s]+))(?::(\d{1,5}))?$/.exec(text.trim()) ?? malformed();
  return { host: inBrackets ?? name ?? malformed(), port: Number(port) };
};

const numberOf = (text: string | undefined, otherwise: number): number => {
  if (text === undefined) return otherwise;
  const value = Number(text);
  return Number.isFinite(value) ? value : malformed();
};

const timeoutOf = (ms: number): number => (ms < 0 ? LONGEST_TIMER_MS : ms);

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return malformed();
  }
};

const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${decoded(user)}:${decoded(password)}`).toString('base64')}`;

const certificatesOf = (options: ReadonlyMap<string, string>): SessionOptions['secure'] => {
  const [ca, cert, key] = ['tlscafile', 'usercertfile', 'userkeyfile'].map((name) => fileOf(options.get(name)));
  if ((cert === undefined) !== (key === undefined)) throw new Error('EventStoreDB: userCertFile and userKeyFile belong together');
  return { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
};

const fileOf = (path: string | undefined): Buffer | undefined => {
  if (path === undefined) return undefined;
  try {
    return readFileSync(resolve(path));
  } catch (error) {
    throw new Error('EventStoreDB: a certificate of the connection string cannot be read', { cause: error });
  }
};
