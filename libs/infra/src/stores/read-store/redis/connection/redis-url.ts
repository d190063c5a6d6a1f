/** Ways to reach Redis. The URLs contain credentials, which must not appear in errors or log lines. */
export type RedisPlace =
  | Readonly<{ kind: 'server'; url: string }>
  | Readonly<{ kind: 'sentinel'; sentinels: readonly string[]; master: string; urlOf: NodeUrl }>
  | Readonly<{ kind: 'cluster'; seeds: readonly string[]; urlOf: NodeUrl }>;

/** Returns the URL of a server named by a Sentinel or a Cluster node. */
export type NodeUrl = (host: string, port: number) => string;

const SHAPE = /^(rediss?)\+(sentinel|cluster):\/\/(?:([^@/?]*)@)?([^@/?]+)(?:\/([^/?]*))?(?:\/(\d+))?\/?(?:\?(.*))?$/;
const HOST_AND_PORT = /^(\[[\da-f:.]+\]|[^:[\]]+)(?::(\d{1,5}))?$/i;

/**
 * `redis://[user:password@]host[:port][/database]`: one server.
 * - `redis+sentinel://[user:password@]host[:port],…/name[/database][?sentinel-user=…&sentinel-password=…]`: the master known by this name.
 * - `redis+cluster://[user:password@]host[:port],…`: a Redis Cluster, given by some of its nodes.
 * - `rediss` instead of `redis`: TLS everywhere. User and password are those of the Redis servers, percent-encoded.
 * @throws MalformedRedisUrl the URL has none of these forms; the message contains no part of it
 */
export const parseRedisUrl = (url: string): RedisPlace => {
  if (/^rediss?:/.test(url)) return { kind: 'server', url: checked(url) };
  const [, scheme = '', kind = '', credentials = '', hosts = '', name = '', database = '', query = ''] = SHAPE.exec(url) ?? malformed();
  const addresses = hosts.split(',').map((address) => HOST_AND_PORT.exec(address) ?? malformed());
  const account = decoded(credentials) === '' ? '' : `${credentials}@`;
  if (kind === 'cluster') {
    if (name !== '' || database !== '' || query !== '') return malformed();
    const urlOf: NodeUrl = (host, port) => checked(`${scheme}://${account}${bracketed(host)}:${port}`);
    return { kind, seeds: addresses.map(([, host = '', port = '6379']) => urlOf(host, Number(port))), urlOf };
  }
  if (name === '') return malformed();
  const asked = new URLSearchParams(query);
  const [user, password] = [asked.get('sentinel-user') ?? '', asked.get('sentinel-password')];
  const sentinelAccount = password === null ? '' : `${encodeURIComponent(user)}:${encodeURIComponent(password)}@`;
  return {
    kind: 'sentinel',
    master: decoded(name),
    sentinels: addresses.map(([, host = '', port = '26379']) => checked(`${scheme}://${sentinelAccount}${host}:${port}`)),
    urlOf: (host, port) => checked(`${scheme}://${account}${bracketed(host)}:${port}${database === '' ? '' : `/${database}`}`),
  };
};

/** The URL cannot be used. The message contains no part of it. */
export class MalformedRedisUrl extends RangeError {
  override readonly name = 'MalformedRedisUrl';
}

const malformed = (): never => {
  throw new MalformedRedisUrl(
    'the URL of Redis is not redis://, redis+sentinel:// or redis+cluster:// (rediss for TLS), with special characters of the password percent-encoded',
  );
};

/** Returns the URL of a server. @throws MalformedRedisUrl */
const checked = (url: string): string => {
  if (!URL.canParse(url)) return malformed();
  const { username, password, pathname, search, hash } = new URL(url);
  decoded(`${username}:${password}`);
  return /^(\/\d*)?$/.test(pathname) && !`${search}${hash}`.includes('@') ? url : malformed(); // `@` after `#` or `?`: part of a password
};

/** @throws MalformedRedisUrl */
const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return malformed();
  }
};

const bracketed = (host: string): string => (host.includes(':') && !host.startsWith('[') ? `[${host}]` : host);
