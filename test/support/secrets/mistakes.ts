import { ADMIN, OPERATOR, SERVICE_TOKEN, SYSTEM_ADMIN } from '#test/support/deployments.js';
import type { Call } from '#test/support/status-client.js';
import type { Markers } from './markers.js';

/** A call that is refused although secrets or personal data are in it: method, path, what goes with it. */
export type Mistake = readonly [method: string, path: string, call: Call];

/** Of all three services and the operations; the first journey must have been there. */
export const mistakesWith = (markers: Markers): readonly Mistake[] => {
  const secret = (): string => markers.plant('mistake');
  const person = (): string => encodeURIComponent(markers.email('mistake'));
  const messaging = { key: SERVICE_TOKEN };
  const accounting = { headers: { authorization: `Bearer ${SYSTEM_ADMIN}`, 'content-type': 'application/json' } };
  const topic = { topic: 'projects/staying-lab/topics/t' };
  const endpoint = (pushEndpoint: string): Call => ({ ...messaging, body: { ...topic, pushConfig: { pushEndpoint } } });
  return [
    ['GET', `/v1/users:byToken/${secret()}`, messaging],
    ['GET', `/v1/users:byToken/${secret()}/`, messaging],
    ['GET', `/v1/users%3AbyToken/${person()}`, messaging],
    ['GET', `/v1/users:byTokens/${secret()}`, messaging],
    ['GET', `/v1//users:byToken/${secret()}?key=${secret()}`, {}],
    ['GET', `/v1/users/profile?key=${secret()}`, {}],
    ['GET', '/v1/users/profile', { key: secret() }],
    ['GET', `/v1/users/${person()}?key=${SERVICE_TOKEN}`, {}],
    ['GET', `/v1/registrations/${secret()}`, messaging],
    ['POST', '/v1/users/someone', { ...messaging, body: `{"email": "${markers.email('mistake')}", ` }],
    ['POST', '/v1/users/someone', { ...messaging, body: { email: markers.email('mistake'), service_roles: ['none'] } }],
    ['POST', '/v1/users/staying', { ...messaging, body: { email: markers.email('mistake') } }],
    ['POST', '/v1/registrations', { ...messaging, body: { name: 'staying', email: markers.email('mistake') } }],
    ['PUT', '/v1/projects/staying-lab/subscriptions/bad', endpoint(markers.url('mistake').replace('https:', 'http:'))],
    ['PUT', '/v1/projects/staying-lab/subscriptions/bad', endpoint(`https://${secret()}:x@:/`)],
    ['POST', '/v1/projects/staying-lab/subscriptions/kept:modifyPushConfig', endpoint(markers.url('mistake').replace('https:', 'ftp:'))],
    ['GET', '/api/v2/admin/tenants', { key: secret() }],
    ['GET', `/api/v2/weights?key=${secret()}`, {}],
    ['POST', '/api/v2/admin/tenants', { key: ADMIN, body: `{"users": [{"api_key": "${secret()}"` }],
    ['POST', '/api/v2/admin/tenants', { key: ADMIN, body: { info: { name: 'STAYING', email: markers.email('mistake') } } }],
    ['GET', `/api/v2/admin/users:byID/${secret()}`, { key: ADMIN }],
    ['GET', `/api/v2/admin/tenants/${person()}`, { key: ADMIN }],
    ['GET', `/api/v2/${secret()}`, { key: ADMIN }],
    ['GET', '/accounting-system/clients/me', { headers: { authorization: `Bearer ${secret()}` } }],
    ['GET', `/accounting-system/projects/none/users/${person()}/metrics`, accounting],
    ['GET', `/accounting-system/projects/staying/users/${person()}/report`, accounting],
    ['GET', `/accounting-system/nothing/${person()}?access_token=${secret()}`, accounting],
    ['POST', '/accounting-system/admin/oidc-tenants', { ...accounting, body: { secret: secret() } }],
    ['POST', '/accounting-system/admin/oidc-tenants', { ...accounting, body: `{"secret": "${secret()}` }],
    ['POST', '/accounting-system/ams-listener', { headers: { authorization: secret() }, body: {} }],
    ['GET', '/ops/keys', { key: secret() }],
    ['POST', '/ops/keys', { key: OPERATOR, body: `{"service": "${secret()}` }],
    ['DELETE', `/ops/keys/${secret()}`, { key: OPERATOR }],
    ['GET', `/nothing/${secret()}?key=${secret()}`, {}],
    ['GET', `/%zz${secret()}`, {}],
  ];
};
