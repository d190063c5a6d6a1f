import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import { LONGEST_TIMER_MS } from '#infra/platform/coordination/alarm.js';
import type { Endpoint } from './call.js';
import type { SessionOptions } from './session.js';

/** Addresses of the servers, and options of the connection. */
export type ConnectionSettings = Readonly<{
  /** One host: the node itself, unless `discover` is set. Several: nodes of a cluster. */
  hosts: readonly Endpoint[];
  /** Ask the hosts for the leader of the cluster. */
  discover: boolean;
  session: SessionOptions;
  /** Absent without TLS: servers do not accept them then, and they would be sent in plain text. */
  credentials: Readonly<{ username: string; password: string }> | undefined;
  /** Milliseconds. Default 5,000. */
  gossipTimeoutMs: number;
}>;

const DEFAULT_PORT = 2113;
const DEFAULT_KEEP_ALIVE_MS = 10_000;
const DEFAULT_GOSSIP_SECONDS = 5;
const NEVER_MS = -1;

const FORM = /^(?:esdb|kurrentdb|kurrent|kdb)(\+discover)?:\/\/(?:([^:/?#]+):([^@/?#]+)@)?([^@/?#]+)\/?(?:\?(.*))?$/;

/** The EventStoreDB clients do not accept the connection string or a value in it. The message contains no part of the string but paths of files. */
export class MalformedConnectionString extends Error {
  override readonly name = 'MalformedConnectionString';
}

/**
 * Parses `esdb://`, `kurrentdb://` and their short forms, `+discover` for clusters, as the EventStoreDB and KurrentDB clients do: option
 * names are case-insensitive, unknown options are ignored. Relative certificate paths start in the working directory. Keep-alive, in
 * milliseconds: `-1` or `0` as interval turns it off; `-1` or `0` as time limit waits for ever.
 * @throws MalformedConnectionString also when a certificate cannot be read
 */
export const parseConnectionString = (text: string): ConnectionSettings => {
  const [, discover, user, password, hosts = '', query = ''] = FORM.exec(text.trim()) ?? malformed();
  const options = new Map([...new URLSearchParams(query)].map(([name, value]) => [name.toLowerCase().replace(/[_-]/g, ''), value.trim()]));
  const endpoints = hosts.replace(/,$/, '').split(',').map(endpointOf);
  const secure = options.get('tls')?.toLowerCase() === 'false' ? undefined : certificatesOf(options);
  const connectionName = options.get('connectionname') ?? 'logbook';
  const credentials = secure && user && password ? { username: decoded(user), password: decoded(password) } : undefined;
  return {
    hosts: endpoints,
    discover: discover !== undefined || endpoints.length > 1,
    session: {
      secure,
      headers: {
        'connection-name': connectionName,
        // Only the leader is certain to show acknowledged events. A follower answers with the leader's address.
        'requires-leader': 'true',
        ...(credentials && { authorization: basic(credentials) }),
      },
      keepAliveMs: keepAliveOf('keepAliveInterval', options) ?? NEVER_MS,
      keepAliveTimeoutMs: keepAliveOf('keepAliveTimeout', options) ?? LONGEST_TIMER_MS,
    },
    credentials,
    gossipTimeoutMs: gossipSecondsOf(options) * 1_000,
  };
};

const malformed = (why = 'malformed connection string', options?: ErrorOptions): never => {
  throw new MalformedConnectionString(`EventStoreDB: ${why}`, options);
};

const endpointOf = (text: string): Endpoint => {
  const [, inBrackets, name, port = `${DEFAULT_PORT}`] =
    /^(?:\[([\da-fA-F:.]+)\]|([^:[\]\s]+))(?::(\d{1,5}))?$/.exec(text.trim()) ?? malformed();
  return { host: inBrackets ?? name ?? malformed(), port: Number(port) };
};

/** Parses the integer value of an option. */
const integerOf = (name: string, options: ReadonlyMap<string, string>): number | undefined => {
  const text = options.get(name.toLowerCase());
  if (text === undefined) return undefined;
  return /^-?\d{1,15}$/.test(text) ? Number(text) : malformed(`${name} of the connection string is no whole number`);
};

/** `null`: off. */
const keepAliveOf = (name: string, options: ReadonlyMap<string, string>): number | null => {
  const ms = integerOf(name, options) ?? DEFAULT_KEEP_ALIVE_MS;
  if (ms < -1) return malformed(`${name} of the connection string must be a number of milliseconds, or -1 for none`);
  return ms <= 0 ? null : Math.min(ms, LONGEST_TIMER_MS);
};

const gossipSecondsOf = (options: ReadonlyMap<string, string>): number => {
  const seconds = integerOf('gossipTimeout', options) ?? DEFAULT_GOSSIP_SECONDS;
  if (seconds < 1) return malformed('gossipTimeout of the connection string must be a number of seconds from 1');
  return Math.min(seconds, LONGEST_TIMER_MS / 1_000);
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return malformed();
  }
};

const basic = ({ username, password }: NonNullable<ConnectionSettings['credentials']>): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

const certificatesOf = (options: ReadonlyMap<string, string>): SessionOptions['secure'] => {
  const [ca, cert, key] = ['tlsCAFile', 'userCertFile', 'userKeyFile'].map((name) => fileOf(name, options.get(name.toLowerCase())));
  if ((cert === undefined) !== (key === undefined)) malformed('userCertFile and userKeyFile belong together');
  return { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
};

const fileOf = (name: string, path: string | undefined): Buffer | undefined => {
  if (path === undefined) return undefined;
  try {
    const content = readFileSync(resolve(path));
    if (name !== 'tlsCAFile') return content;
    createSecureContext({ ca: content });
    if (!content.includes('-----BEGIN ')) throw new Error(`there is no certificate in ${path}`);
    return content;
  } catch (error) {
    return malformed(`the certificates of ${name} cannot be used: ${String((error as Error).message)}`, { cause: error });
  }
};
