import { OPERATOR } from '#test/support/deployments.js';
import type { OidcIssuer } from '#test/support/oidc/oidc-issuer.js';
import { httpClient } from '#test/support/status-client.js';
import { plantAccounting } from './accounting-journey.js';
import { callsOf, type Planted } from './calls.js';
import type { Markers } from './markers.js';
import { plantMessaging } from './messaging-journey.js';
import { plantStatus } from './status-journey.js';

/** Plants a text in every member of the three services that holds a secret or personal data (docs/security.md), and revises each. */
export const plantSecrets = async (base: string, issuer: OidcIssuer, markers: Markers): Promise<Planted> => {
  const root = httpClient(base);
  const made = await callsOf(root, { 'x-api-key': OPERATOR }).call('POST', '/ops/keys', {
    service: 'status',
    role: 'super_admin_ui',
    name: 'k',
  });
  markers.keep('a key of the administration', made.key);
  const parts = [await plantMessaging(root, markers), await plantAccounting(base, issuer, markers), await plantStatus(root, markers)];
  return {
    shown: parts.flatMap(({ shown }) => shown),
    remove: async () => {
      for (const part of parts) await part.remove();
    },
    forgotten: parts.flatMap(({ forgotten }) => forgotten),
    kept: parts.flatMap(({ kept }) => kept),
  };
};
