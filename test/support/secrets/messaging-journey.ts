import { OPERATOR, SERVICE_TOKEN } from '#test/support/deployments.js';
import type { HttpClient } from '#test/support/status-client.js';
import { callsOf, type Json, type Planted } from './calls.js';
import type { Markers } from './markers.js';

const textIn = (json: Json, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((found, member) => (found as Json | undefined)?.[member], json);

const person = (markers: Markers, what: string) => ({
  first_name: markers.plant(`${what} first name`),
  last_name: markers.plant(`${what} last name`),
  organization: markers.plant(`${what} organization`),
  email: markers.email(`${what} email`),
});

/** Users, registrations and push settings: two of each, of which one is to be deleted, and a project that is to be deleted with its own. */
export const plantMessaging = async (root: HttpClient, markers: Markers): Promise<Planted> => {
  const caller = { 'x-api-key': SERVICE_TOKEN };
  const { call } = callsOf(root, caller);
  const topic = (project: string) => ({ topic: `projects/${project}/topics/t` });
  for (const project of ['staying-lab', 'going-lab']) {
    await call('POST', `/v1/projects/${project}`, {});
    await call('PUT', `/v1/projects/${project}/topics/t`);
  }
  const user = async (name: string): Promise<string> => {
    const made = await call('POST', `/v1/users/${name}`, person(markers, `${name} user`));
    markers.keep(`first token of ${name}`, made.token);
    await call('PUT', `/v1/users/${name}`, person(markers, `${name} user revised`));
    const token = markers.keep(`token of ${name}`, (await call('POST', `/v1/users/${name}:refreshToken`)).token);
    await call('GET', `/v1/users:byToken/${token}`);
    await callsOf(root, {}).call('GET', `/v1/users/profile?key=${token}`);
    const byId = markers.keep(`token of ${name} by its id`, (await call('POST', `/v1/users:refreshTokenByUUID/${made.uuid}`)).token);
    await callsOf(root, { authorization: `Bearer ${byId}` }).call('GET', '/v1/users/profile');
    await call('PUT', `/v1/users/${name}`, { component: name, component_project: 'staying-lab' });
    const refreshed = await call('POST', `/v1/integrations/components/${name}/by-project-name/staying-lab/refresh`);
    markers.keep(`token of ${name} by its component`, textIn(refreshed, 'data', 'api_key'));
    await call('POST', `/v1/projects/staying-lab/members/${name}:add`, { roles: ['consumer'] });
    const subject = `/O=eScience/CN=${markers.plant(`certificate of ${name}`)}`;
    await callsOf(root, { 'x-api-key': OPERATOR }).call('POST', '/ops/certificates', { subject, project: 'staying-lab', user: name });
    return String(made.uuid);
  };
  const registration = async (name: string): Promise<string> => {
    const made = await call('POST', '/v1/registrations', { name, ...person(markers, `${name} registration`) });
    const token = markers.keep(`activation token of ${name}`, made.activation_token);
    await call('GET', `/v1/registrations?activation_token=${token}&email=${encodeURIComponent(String(made.email))}`);
    return String(made.uuid);
  };
  const subscription = async (project: string, name: string): Promise<string> => {
    const path = `/v1/projects/${project}/subscriptions/${name}`;
    const pushConfig = { type: 'http_endpoint', pushEndpoint: markers.url(`${name} endpoint`) };
    const made = await call('PUT', path, { ...topic(project), pushConfig });
    markers.keep(`verification hash of ${name}`, textIn(made, 'pushConfig', 'verificationHash'));
    markers.keep(`authorization of ${name}`, textIn(made, 'pushConfig', 'authorizationHeader', 'value'));
    const mattermostUrl = `https://chat.example.org/hooks/${markers.plant(`${name} hook`)}`;
    await call('POST', `${path}:modifyPushConfig`, { pushConfig: { type: 'mattermost', mattermostUrl } });
    return name;
  };
  const [stays, goes] = [await user('staying'), await user('going')];
  const [pending, settled, declined] = [await registration('pending'), await registration('settled'), await registration('declined')];
  const accepted = await call('POST', `/v1/registrations/${settled}:accept`);
  markers.keep('token of the accepted user', accepted.token);
  await call('POST', `/v1/registrations/${declined}:decline`, { comment: 'no' });
  for (const name of ['kept', 'dropped']) await subscription('staying-lab', name);
  await subscription('going-lab', 'gone');
  const shown = ['/v1/users/staying', '/v1/users?details=true', '/v1/registrations', '/v1/projects/staying-lab/subscriptions/kept'];
  return {
    shown: shown.map((path) => [caller, path]),
    remove: async () => {
      await call('DELETE', '/v1/users/going');
      await call('DELETE', `/v1/registrations/${declined}`);
      await call('DELETE', '/v1/projects/staying-lab/subscriptions/dropped');
      await call('DELETE', '/v1/projects/going-lab');
    },
    forgotten: [`user-${goes}`, `registration-${declined}`],
    kept: [`user-${stays}`, `registration-${pending}`],
  };
};
