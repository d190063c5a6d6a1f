import { Copyable } from '../../parts/copyable.js';
import { serverPath } from '../../place.js';

/** Where the server's paths begin, for commands that are typed elsewhere. */
const server = `${location.origin}${serverPath}`;

type Step = Readonly<{ name: string; key: string; command: string; guide: string }>;

const STEPS: readonly Step[] = [
  {
    name: 'Create a tenant',
    key: 'with the key LOGBOOK_STATUS_ADMIN_KEY, for the status service',
    command: `curl ${server}/api/v2/admin/tenants -H "x-api-key: $LOGBOOK_STATUS_ADMIN_KEY" -d '{"info": {"name": "Alpine Grid"}, "users": [{"name": "ada", "api_key": "let-me-in", "roles": ["admin"]}]}'`,
    guide: 'status: tenants/createTenant',
  },
  {
    name: 'Create a project',
    key: 'with the key LOGBOOK_MESSAGING_SERVICE_TOKEN, for the messaging service',
    command: `curl ${server}/v1/projects/monitoring -H "x-api-key: $LOGBOOK_MESSAGING_SERVICE_TOKEN" -d '{"description": "alerts of monitoring"}'`,
    guide: 'messaging: projects/createMessagingProject',
  },
  {
    name: 'Register a provider',
    key: 'with the token LOGBOOK_ACCOUNTING_ADMIN_TOKEN, for the accounting service',
    command: `curl ${server}/accounting-system/providers -H "Authorization: Bearer $LOGBOOK_ACCOUNTING_ADMIN_TOKEN" -H "Content-Type: application/json" -d '{"id": "site-a", "name": "Site A"}'`,
    guide: 'accounting: providers/createProvider',
  },
];

const guideOf = (operation: string): string => {
  const [tag = '', id = ''] = operation.split('/');
  return `${server}/docs#/${encodeURIComponent(tag)}/${id}`;
};

/** The first records of an empty installation. */
export const FirstSteps = () => (
  <section aria-labelledby="first-steps">
    <h2 id="first-steps">First steps</h2>
    <p>
      The services have no tenant and no project yet. Each step is one command; its key is in the environment of the server or in
      credentials.json. <a href={`${server}/guides/`}>Guides by role</a> go on from there.
    </p>
    <ol class="steps">
      {STEPS.map(({ name, key, command, guide }) => (
        <li key={name}>
          <strong>{name}</strong> <span class="quiet">{key}</span> <a href={guideOf(guide)}>Guide</a>
          <br />
          <Copyable text={command} name={`the command: ${name}`} />
        </li>
      ))}
    </ol>
  </section>
);
