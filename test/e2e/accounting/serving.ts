import { expect } from '@jest/globals';
import { type Serving, serving } from '#test/e2e/serving.js';
import { type AccountingClient, accountingClient } from '#test/support/accounting/accounting-client.js';
import { type Deployment, SYSTEM_ADMIN } from '#test/support/deployments.js';
import { type OidcIssuer, startOidcIssuer } from '#test/support/oidc/oidc-issuer.js';
import type { Answer } from '#test/support/status-client.js';

/** The namespace of entitlements unless it is configured, and what their names start with. */
export const NAMESPACE = 'urn:geant:sandbox.eosc-beyond.eu:core:integration';
export const GROUP = `${NAMESPACE}:group:accounting`;

/** The name of an entitlement: `entitlement('viewer', 'project')`. */
export const entitlement = (role: string, ...segments: readonly string[]): string => [GROUP, ...segments, `role=${role}`].join(':');

/** A server with an OIDC issuer of its default tenant. Read its members inside of tests. */
export type AccountingServing = Serving &
  Readonly<{
    issuer: OidcIssuer;
    /** The first system administrator. */
    admin: AccountingClient;
    /** No token. */
    anonymous: AccountingClient;
    withToken(token: string): AccountingClient;
    /**
     * A client with these entitlements in its token, which count while the entitlement mode is `oidc` (see {@link trustTokens}); its user
     * id is `subject`.
     */
    caller(subject: string, ...entitlements: readonly string[]): Promise<AccountingClient>;
    /** From now on the entitlements of a caller are those of its token. */
    trustTokens(): Promise<void>;
  }>;

/** As {@link serving}, for suites of the accounting service. */
export const accountingServing = (
  open: () => Promise<Deployment>,
  environment: Readonly<Record<string, string>> = {},
): AccountingServing => {
  let issuer: OidcIssuer;
  const scene = serving(async () => {
    const [deployment, started] = await Promise.all([open(), startOidcIssuer()]);
    issuer = started;
    return {
      ...deployment,
      environment: { ...deployment.environment, LOGBOOK_OIDC_ISSUERS: issuer.url },
      dispose: async () => {
        await issuer.stop();
        await deployment.dispose();
      },
    };
  }, environment);
  const withToken = (token?: string): AccountingClient => accountingClient(scene.server.url, token);
  return {
    get deployment() {
      return scene.deployment;
    },
    get server() {
      return scene.server;
    },
    get status() {
      return scene.status;
    },
    get root() {
      return scene.root;
    },
    get issuer() {
      return issuer;
    },
    get admin() {
      return withToken(SYSTEM_ADMIN);
    },
    get anonymous() {
      return withToken();
    },
    restart: scene.restart,
    plant: scene.plant,
    changeLog: scene.changeLog,
    crash: scene.crash,
    withToken,
    caller: async (subject, ...entitlements) => withToken(await issuer.token({ sub: subject, entitlements })),
    trustTokens: async () => {
      const answer = await withToken(SYSTEM_ADMIN).put('/admin/settings/ENTITLEMENTS_MANAGEMENT', { value: 'oidc' });
      expectMessage(answer, 200, 'Setting updated successfully.');
    },
  };
};

/** The answer is this error, or this success without a record: status, body and content type. */
export const expectMessage = (answer: Answer, code: number, message: string): void =>
  expect([answer.status, answer.json, answer.headers.get('content-type')]).toEqual([
    code,
    { code, message },
    'application/json; charset=utf-8',
  ]);

export type Page = Readonly<{
  size_of_page: number;
  number_of_page: number;
  total_elements: number;
  total_pages: number;
  content: readonly Readonly<Record<string, unknown>>[];
  links: readonly Readonly<{ href: string; rel: string }>[];
}>;

/** The page of a list or a search. */
export const pageIn = (answer: Answer): Page => {
  expect([answer.status, answer.text.slice(0, 200)]).toEqual([200, expect.any(String)]);
  return answer.json as Page;
};

export const OBJECT_ID = /^[0-9a-f]{24}$/;
/** Well-formed, but of nothing. */
export const UNKNOWN_OBJECT_ID = '507f1f77bcf86cd799439011';
export const FORBIDDEN = 'The authenticated client is not permitted to perform the requested operation.';

export { OIDC_TENANT as TENANT } from '#test/support/oidc/oidc-tenant.js';
