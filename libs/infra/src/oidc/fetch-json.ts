/** How long an answer may take, and how long it may be. */
const TIME_LIMIT_MS = 3_000;
const SIZE_LIMIT = 512 * 1024;

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Whether keys may be fetched from there: over TLS, or without leaving this machine. */
export const isTrustworthy = (address: string): boolean => {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, username, password } = new URL(address);
  return (protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname))) && username === '' && password === '';
};

const bodyOf = async (response: Response): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > SIZE_LIMIT) throw new Error(`more than ${SIZE_LIMIT} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};

/** The JSON object at an address; redirects are not followed. @throws when there is none within three seconds */
export const fetchObject = async (address: string): Promise<Readonly<Record<string, unknown>>> => {
  if (!isTrustworthy(address)) throw new Error(`${address} is neither https nor http on this machine`);
  const response = await fetch(address, {
    headers: { accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(TIME_LIMIT_MS),
  });
  if (!response.ok) throw new Error(`${address} answered ${response.status}`);
  const value: unknown = JSON.parse(await bodyOf(response));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${address} did not answer an object`);
  return { ...value };
};
