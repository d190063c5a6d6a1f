import createClient from 'openapi-fetch';
import type { paths } from '../../dist/openapi/client.js';

/** A client as a site would have it: types from `/openapi.json` by `openapi-typescript`, calls by `openapi-fetch`. */
export const generatedClient = (baseUrl: string, headers: Readonly<Record<string, string>>) =>
  createClient<paths, 'application/json'>({ baseUrl, headers });

export type GeneratedClient = ReturnType<typeof generatedClient>;

/** Content of a successful answer. @throws with status and body of any other */
export const successOf = <T>({ data, error, response }: Readonly<{ data?: T; error?: unknown; response: Response }>): T => {
  if (data === undefined) throw new Error(`${response.url} answers ${response.status} ${JSON.stringify(error)}`);
  return data;
};
