/** An answer with its body as text and, when it is JSON, parsed. */
export type Answer = Readonly<{ status: number; headers: Headers; text: string; json: unknown }>;

export type Call = Readonly<{ key?: string; accept?: string | null; body?: unknown; headers?: Readonly<Record<string, string>> }>;

/** A client that knows only the contract. A string body is sent as it is, anything else as JSON. */
export const statusClient = (base: string) => {
  const call = async (method: string, path: string, { key, accept = 'application/json', body, headers = {} }: Call = {}): Promise<Answer> => {
    const response = await fetch(`${base}/api/v2${path}`, {
      method,
      redirect: 'manual',
      headers: { ...(key === undefined ? {} : { 'x-api-key': key }), ...(accept === null ? {} : { accept }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: /json/.test(response.headers.get('content-type') ?? '') && text ? JSON.parse(text) : undefined };
  };
  return {
    call,
    get: (path: string, options?: Call) => call('GET', path, options),
    post: (path: string, options?: Call) => call('POST', path, options),
    put: (path: string, options?: Call) => call('PUT', path, options),
    delete: (path: string, options?: Call) => call('DELETE', path, options),
  };
};

export type StatusClient = ReturnType<typeof statusClient>;

/** Registers a tenant with one user per role, each with the key `<tenant>-<role>`. */
export const registerTenant = async (client: StatusClient, adminKey: string, name: string, roles: readonly string[]): Promise<string> => {
  const users = roles.map((role) => ({ name: role, email: `${role}@example.org`, api_key: `${name}-${role}`, roles: [role] }));
  const { json } = await client.post('/admin/tenants', { key: adminKey, body: { info: { name }, users } });
  return (json as { data: { id: string } }).data.id;
};

export const idOf = ({ json }: Answer): string => (json as { data: { id: string } }).data.id;
export const recordsOf = ({ json }: Answer): readonly Readonly<Record<string, unknown>>[] => (json as { data: readonly Readonly<Record<string, unknown>>[] }).data;
