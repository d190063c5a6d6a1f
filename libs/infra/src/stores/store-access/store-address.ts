/** Connection details found in the address of a store. */
export type StoreAddress = Readonly<{
  hosts: readonly Readonly<{ host: string; port: number }>[];
  tls: boolean;
  /** Path of the certificates that replace the system's trusted ones. */
  caFile?: string;
}>;

/** Scheme, credentials, hosts, path, settings. Passwords may contain any character except `@`, `/` and `?`, which must be encoded. */
const ADDRESS = /^([\w+]+):\/\/(?:[^@/?]*@)?([^/?]+)(?:\/[^?]*)?(?:\?(.*))?$/;

const hostIn = (text: string, defaultPort: number): readonly Readonly<{ host: string; port: number }>[] => {
  if (!URL.canParse(`tcp://${text}`)) return [];
  const { hostname, port } = new URL(`tcp://${text}`);
  return [{ host: hostname.replace(/^\[(.*)\]$/, '$1'), port: port === '' ? defaultPort : Number(port) }];
};

/** Parses an EventStoreDB connection string: encrypted unless `tls=false`. Returns `undefined` if it is malformed. */
export const eventStoreAddress = (connectionString: string): StoreAddress | undefined => {
  const [, , hosts, query = ''] = ADDRESS.exec(connectionString) ?? [];
  if (hosts === undefined) return undefined;
  const settings = new Map([...new URLSearchParams(query)].map(([name, value]) => [name.toLowerCase().replace(/[_-]/g, ''), value]));
  const caFile = settings.get('tlscafile');
  return {
    hosts: hosts.split(',').flatMap((host) => hostIn(host, 2113)),
    tls: settings.get('tls') !== 'false',
    ...(caFile !== undefined && { caFile }),
  };
};

/** Parses a Redis URL: encrypted if the scheme ends with `s`. Returns `undefined` if it is malformed. */
export const redisAddress = (url: string): StoreAddress | undefined => {
  const [, scheme = '', hosts] = ADDRESS.exec(url) ?? [];
  return hosts === undefined ? undefined : { hosts: hosts.split(',').flatMap((host) => hostIn(host, 6379)), tls: /^rediss/.test(scheme) };
};
