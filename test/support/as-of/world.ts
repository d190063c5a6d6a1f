import { sample } from '#test/e2e/status/contract.js';
import { computedReport } from '#test/e2e/status/results/computed-report.js';
import { ADMIN, SERVICE_TOKEN, SYSTEM_ADMIN } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { OIDC_TENANT } from '#test/support/oidc/oidc-tenant.js';
import type { Call, HttpClient } from '#test/support/status-client.js';

export type Headers = Readonly<Record<string, string>>;
type Json = Readonly<Record<string, unknown>>;

export const SERVICE: Headers = { 'x-api-key': SERVICE_TOKEN };
export const SYSTEM: Headers = { authorization: `Bearer ${SYSTEM_ADMIN}`, 'content-type': 'application/json' };
export const SUPER: Headers = { 'x-api-key': ADMIN };
export const TENANT: Headers = { 'x-api-key': 'world-tenant-key' };

/** Numbers from 0 to 1 that depend on the seed alone. */
const randomFrom = (seed: number) => {
  let state = seed >>> 0;
  return (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

const PROFILES = ['metric_profiles', 'operations_profiles', 'aggregation_profiles', 'thresholds_profiles', 'weights'] as const;

/** What is in the services, and random changes to it over HTTP. Ids by kind: `ids.topic`. */
export class World {
  readonly ids: Record<string, string[]> = {};
  /** Texts that nothing shows any more, because those they belonged to were deleted. */
  readonly erased: string[] = [];
  /** Personal texts of records, by their ids or names. */
  private readonly personal = new Map<string, string[]>();
  private readonly random: () => number;
  private made = 0;
  /** While there is only one of each kind, it is neither changed nor deleted. */
  private beginning = true;

  constructor(
    private readonly http: () => HttpClient,
    seed: number,
  ) {
    this.random = randomFrom(seed);
  }

  /** What every other change builds on. */
  async begin(): Promise<void> {
    const user = {
      name: 'ann',
      email: 'ann@example.org',
      api_key: TENANT['x-api-key'],
      roles: ['admin', 'editor', 'consistency-check', 'consistency-ack'],
    };
    const tenant = await this.call(SUPER, 'POST', '/api/v2/admin/tenants', { ...this.tenant('world'), users: [user] });
    this.note('tenant', idIn(tenant));
    await this.call(SERVICE, 'POST', '/v1/projects/lab', { description: 'first' });
    this.note('project', 'lab');
    const { token } = await this.call(SERVICE, 'POST', '/v1/users/fixed', { email: 'fixed@x.org', first_name: 'Fixed' });
    this.note('token', token);
    await this.connect(idIn(tenant));
    for (const resource of PROFILES)
      this.note(resource, idIn(await this.call(TENANT, 'POST', `/api/v2/${resource}`, this.profile(resource))));
    const post = (path: string, body: unknown, options: Call = {}) =>
      this.http().post(`/api/v2${path}`, { body, headers: { ...TENANT, ...options.headers } });
    await computedReport({ post });
    await this.node(idIn(tenant));
    for (const change of Object.values(this.all)) await change();
    for (const kind of ['unit-types', 'metric-types']) await this.type(kind);
    this.beginning = false;
  }

  /** The tenant gets metric data from a topic, and is notified of changes of a report that has no results: nothing happens by itself. */
  private async connect(tenantId: unknown): Promise<void> {
    this.note('connected', tenantId);
    await this.call(SERVICE, 'PUT', '/v1/projects/lab/topics/connected', {});
    await this.call(SERVICE, 'PUT', '/v1/projects/lab/subscriptions/connected', { topic: 'projects/lab/topics/connected' });
    await this.call(TENANT, 'POST', '/api/v2/reports', { info: { name: 'Watched' }, topology_schema: {} });
    const path = `/api/v2/admin/tenants/${tenantId}`;
    await this.call(SUPER, 'PUT', `${path}/metric-source`, { project: 'lab', subscription: 'connected' });
    await this.call(SUPER, 'PUT', `${path}/status-notifications`, { project: 'lab', topic: 'connected', reports: ['Watched'] });
  }

  /** The tenant shows the computed report as a node. */
  private async node(tenantId: unknown): Promise<void> {
    await this.call(SUPER, 'POST', `/api/v2/admin/tenants/${tenantId}/node-set`);
    const { data } = await this.call(TENANT, 'GET', '/api/v2/reports?name=Critical');
    const [report] = data as readonly Json[];
    await this.call(TENANT, 'POST', `/api/v2/reports/${report?.id}/set-node-report`);
  }

  /** Other parts of a tenant, one by one. */
  private async parts(tenantId: string): Promise<void> {
    const path = `/api/v2/admin/tenants/${tenantId}`;
    const { info, db_conf, topology } = this.tenant(this.fresh('tenantName'));
    await this.call(SUPER, 'PUT', `${path}/info`, { info });
    this.belongs(tenantId, info.email);
    await this.call(SUPER, 'PUT', `${path}/db-conf`, { db_conf });
    await this.call(SUPER, 'PUT', `${path}/topology`, { topology });
    await this.call(SUPER, 'PUT', `${path}/ready`, { data: { ready: true, message: `m${++this.made}` } });
    await this.call(SUPER, 'POST', `${path}/${this.often(0.5) ? 'node-set' : 'node-unset'}`);
  }

  async change(): Promise<void> {
    const changes = Object.values(this.all);
    await changes[Math.floor(this.random() * changes.length)]?.();
  }

  /** One of a kind, or what none has. */
  some(kind: string): string {
    const known = this.ids[kind] ?? [];
    return known[Math.floor(this.random() * known.length)] ?? 'none';
  }

  private note(kind: string, id: unknown): void {
    if (typeof id === 'string') this.ids[kind] = [...new Set([...(this.ids[kind] ?? []), id])];
  }

  private belongs(owner: unknown, text: string): void {
    if (typeof owner === 'string') this.personal.set(owner, [...(this.personal.get(owner) ?? []), text]);
  }

  /** Other calls may be under way: what they make of the same name is not erased, nor what a user has that a registration became. */
  private async erase(headers: Headers, owner: string, path: string): Promise<void> {
    const before = this.personal.get(owner) ?? [];
    await this.call(headers, 'DELETE', path);
    const after = this.personal.get(owner) ?? [];
    this.erased.push(...before.filter((text) => after.includes(text)));
  }

  private fresh(kind: string): string {
    const name = `${kind}-${++this.made}`;
    this.note(kind, name);
    return name;
  }

  /** In the beginning always. */
  private mostly(share: number): boolean {
    return this.beginning || this.random() < share;
  }

  private often(share: number): boolean {
    return !this.beginning && this.random() < share;
  }

  /**
   * Refusals are part of it: what was deleted cannot be changed. Calls that are refused because the log has not answered for seconds, as on a busy
   * machine, are repeated. @throws for another 5xx
   */
  private async call(headers: Headers, method: string, path: string, body?: unknown): Promise<Json> {
    const once = () => this.http().call(method, path, { headers, ...(body !== undefined && { body }) });
    const answer = await eventually(once).until(({ status, text }) => status !== 503 || !text.includes('is not there yet'));
    if (answer.status >= 500) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return (answer.json ?? {}) as Json;
  }

  private async type(kind: string): Promise<void> {
    const member = kind === 'unit-types' ? 'unit_type' : 'metric_type';
    const made = await this.call(SYSTEM, 'POST', `/accounting-system/${kind}`, { [member]: `t${++this.made}`, description: 'd' });
    this.note(kind, made.id);
  }

  private tenant(name: string) {
    const store = { store: 'ar', server: 'db', port: 1, database: 'd', username: `user of ${name}`, password: `secret ${++this.made}` };
    return { info: { name, email: `${name}@example.org` }, db_conf: [store], topology: { type: 'GOCDB', feed: 'f' } };
  }

  private day(): string {
    return `2024-0${1 + Math.floor(this.random() * 9)}-1${Math.floor(this.random() * 10)}`;
  }

  private profile(resource: (typeof PROFILES)[number]): object {
    const name = `p${++this.made}`;
    switch (resource) {
      case 'metric_profiles':
        return { name, services: [{ service: 'CE', metrics: ['ping', name] }] };
      case 'aggregation_profiles':
        return { name, metric_profile: { id: this.some('metric_profiles') } };
      case 'thresholds_profiles':
        return { name, rules: [] };
      default:
        return sample(resource, name);
    }
  }

  /** With a day, or as of the clock. */
  private dated(path: string): string {
    return this.often(0.5) ? `${path}?date=${this.day()}` : path;
  }

  /** The same for a list of a day, which may replace the one that is there. */
  private forced(path: string): string {
    const force = `force=${this.often(0.5)}`;
    return this.often(0.5) ? `${path}?date=${this.day()}&${force}` : `${path}?${force}`;
  }

  private readonly messaging = {
    project: async () => {
      const name = this.mostly(0.3) ? this.fresh('project') : this.some('project');
      const method = this.mostly(0.5) ? 'POST' : 'PUT';
      if (this.often(0.05) && name !== 'lab') await this.call(SERVICE, 'DELETE', `/v1/projects/${name}`);
      else await this.call(SERVICE, method, `/v1/projects/${name}`, { description: `text ${++this.made}` });
    },
    user: async () => {
      const name = this.mostly(0.4) ? this.fresh('user') : this.some('user');
      const roles = [{ project: this.beginning ? 'lab' : this.some('project'), roles: [this.often(0.5) ? 'publisher' : 'consumer'] }];
      const person = { email: `${name}-${++this.made}@x.org`, first_name: `F${this.made}`, projects: roles };
      const made = await this.call(SERVICE, this.mostly(0.6) ? 'POST' : 'PUT', `/v1/users/${name}`, person);
      this.belongs(name, person.email);
      this.note('userUuid', made.uuid);
      if (this.often(0.1)) await this.erase(SERVICE, name, `/v1/users/${name}`);
    },
    registration: async () => {
      const email = `r${++this.made}@x.org`;
      const made = await this.call(SERVICE, 'POST', '/v1/registrations', { name: this.fresh('applicant'), email });
      this.note('registration', made.uuid);
      this.belongs(made.uuid, email);
      const one = this.some('registration');
      const path = `/v1/registrations/${one}`;
      if (this.often(0.3)) {
        this.personal.delete(one);
        await this.call(SERVICE, 'POST', `${path}:accept`, {});
      } else if (this.often(0.4)) await this.call(SERVICE, 'POST', `${path}:decline`, { comment: 'no' });
      else if (this.often(0.2)) await this.erase(SERVICE, one, path);
    },
    topic: async () => {
      const path = `/v1/projects/lab/topics/${this.mostly(0.4) ? this.fresh('topic') : this.some('topic')}`;
      if (this.often(0.1)) await this.call(SERVICE, 'DELETE', path);
      else if (this.often(0.3)) await this.call(SERVICE, 'POST', `${path}:modifyAcl`, { authorized_users: [this.some('user')] });
      else await this.call(SERVICE, 'PUT', path, {});
    },
    subscription: async () => {
      const name = this.mostly(0.4) ? this.fresh('subscription') : this.some('subscription');
      const path = `/v1/projects/lab/subscriptions/${name}`;
      const pushEndpoint = `https://push-${++this.made}.example.org/`;
      const push = this.often(0.4) ? { pushConfig: { pushEndpoint } } : {};
      if (this.often(0.1)) await this.erase(SERVICE, name, path);
      else if (this.often(0.3)) await this.call(SERVICE, 'POST', `${path}:modifyAckDeadline`, { ackDeadlineSeconds: this.made % 600 });
      else await this.call(SERVICE, 'PUT', path, { topic: `projects/lab/topics/${this.some('topic')}`, ...push });
      this.belongs(name, pushEndpoint);
    },
    schema: async () => {
      const name = this.mostly(0.5) ? this.fresh('schema') : this.some('schema');
      const body = { type: 'json', schema: { type: 'object', title: `t${++this.made}` } };
      await this.call(SERVICE, this.mostly(0.5) ? 'POST' : 'PUT', `/v1/projects/lab/schemas/${name}`, body);
    },
    publish: async () => {
      const messages = [{ data: Buffer.from(`m${++this.made}`).toString('base64'), attributes: { a: 'b' } }];
      await this.call(SERVICE, 'POST', `/v1/projects/lab/topics/${this.some('topic')}:publish`, { messages });
    },
    pull: async () => {
      const path = `/v1/projects/lab/subscriptions/${this.some('subscription')}`;
      const pulled = await this.call(SERVICE, 'POST', `${path}:pull`, { maxMessages: '2', returnImmediately: 'true' });
      const ackIds = ((pulled.receivedMessages ?? []) as { ackId: string }[]).map(({ ackId }) => ackId);
      if (ackIds.length > 0) await this.call(SERVICE, 'POST', `${path}:acknowledge`, { ackIds });
    },
  };

  private readonly accounting = {
    project: async () => {
      const id = this.fresh('aproject');
      const dates = { start_date: '2020-01-01', end_date: '2032-12-31' };
      await this.call(SYSTEM, 'POST', '/accounting-system/admin/projects', { id, acronym: id, title: 't', ...dates, call_identifier: 'c' });
      const provider = this.some('provider');
      await this.call(SYSTEM, 'POST', `/accounting-system/projects/${id}/associate/provider/${provider}`);
    },
    provider: async () => {
      const id = this.fresh('provider');
      await this.call(SYSTEM, 'POST', '/accounting-system/providers', { id, name: `name of ${id}`, external_id: `x-${id}` });
      this.note('xprovider', `x-${id}`);
      await this.call(SYSTEM, 'PATCH', `/accounting-system/providers/${this.some('provider')}`, { name: `renamed ${++this.made}` });
    },
    resource: async () => {
      const id = this.fresh('resource');
      await this.call(SYSTEM, 'POST', '/accounting-system/admin/resources', { id, name: `name of ${id}` });
    },
    type: () => this.type(this.often(0.5) ? 'unit-types' : 'metric-types'),
    definition: async () => {
      const body = { metric_name: `m${++this.made}`, metric_type: 'count', unit_type: 'TB' };
      this.note('definition', (await this.call(SYSTEM, 'POST', '/accounting-system/metric-definitions', body)).metric_definition_id);
    },
    installation: async () => {
      const [project, organisation] = [this.some('aproject'), this.some('provider')];
      await this.call(SYSTEM, 'POST', `/accounting-system/projects/${project}/associate/provider/${organisation}`);
      const external_id = this.fresh('xinstallation');
      const body = { project, organisation, infrastructure: 'i', installation: `n${++this.made}`, external_id };
      this.note('installation', (await this.call(SYSTEM, 'POST', '/accounting-system/installations', body)).id);
      const changed = `/accounting-system/installations/${this.some('installation')}`;
      if (this.often(0.1)) await this.call(SYSTEM, 'DELETE', changed);
      else await this.call(SYSTEM, 'PATCH', changed, { infrastructure: `i${++this.made}` });
    },
    metric: async () => {
      const path = `/accounting-system/installations/${this.some('installation')}/metrics`;
      const day = this.day();
      const period = { time_period_start: `${day}T00:00:00Z`, time_period_end: `${day}T12:00:00Z`, value: ++this.made };
      const body = { metric_definition_id: this.some('definition'), ...period, group_id: 'g', user_id: 'u@example.org' };
      this.note('metric', (await this.call(SYSTEM, 'POST', path, body)).metric_id);
      if (this.often(0.3)) await this.call(SYSTEM, 'PATCH', `${path}/${this.some('metric')}`, { value: ++this.made });
      if (this.often(0.1)) await this.call(SYSTEM, 'DELETE', `${path}/${this.some('metric')}`);
    },
    capacity: async () => {
      const path = `/accounting-system/installations/${this.some('installation')}/capacities`;
      const registered_on = `${this.day()}T00:00:00Z`;
      await this.call(SYSTEM, 'POST', path, { value: ++this.made, metric_definition_id: this.some('definition'), registered_on });
    },
    entitlement: async () => {
      const name = `urn:geant:sandbox.eosc-beyond.eu:core:integration:group:accounting:p${++this.made}:role=viewer`;
      this.note('entitlement', (await this.call(SYSTEM, 'POST', '/accounting-system/admin/entitlements', { name })).id);
    },
    oidc: async () => {
      const name = `o${++this.made}`;
      const body = { ...OIDC_TENANT, issuer: `https://${name}.example.org`, tenant_id: name, secret: `oidc-secret-${name}` };
      this.note('oidc', (await this.call(SYSTEM, 'POST', '/accounting-system/admin/oidc-tenants', body)).id);
    },
    client: async () => {
      await this.call(SYSTEM, 'POST', '/accounting-system/clients');
      const { content } = await this.call(SYSTEM, 'GET', '/accounting-system/admin/actors');
      for (const { id } of (content ?? []) as readonly Json[]) this.note('actor', id);
    },
  };

  private readonly status = {
    profile: async () => {
      const resource = PROFILES[Math.floor(this.random() * PROFILES.length)] ?? 'weights';
      const path = `/api/v2/${resource}`;
      if (this.mostly(0.5)) this.note(resource, idIn(await this.call(TENANT, 'POST', this.dated(path), this.profile(resource))));
      else if (this.often(0.1)) await this.call(TENANT, 'DELETE', `${path}/${this.some(resource)}`);
      else await this.call(TENANT, 'PUT', this.dated(`${path}/${this.some(resource)}`), this.profile(resource));
    },
    endpoints: async () => {
      const hostname = `host-${++this.made}.example.org`;
      const list = [{ group: 'SITE-A', type: 'SITES', service: 'web', hostname, tags: { a: `${this.made}` } }];
      await this.call(TENANT, 'POST', this.forced('/api/v2/topology/endpoints'), list);
    },
    groups: async () => {
      const list = [{ group: 'NGI-A', type: 'NGI', subgroup: 'SITE-A', tags: { b: `${++this.made}` } }];
      await this.call(TENANT, 'POST', this.forced('/api/v2/topology/groups'), list);
      if (this.often(0.2)) await this.call(TENANT, 'DELETE', `/api/v2/topology/groups?date=${this.day()}`);
    },
    serviceTypes: async () => {
      const list = [{ name: `type-${++this.made}`, title: 'T', description: 'd' }];
      await this.call(TENANT, 'POST', this.forced('/api/v2/topology/service-types'), list);
    },
    downtimes: async () => {
      const times = { start_time: '2024-01-01T00:00:00Z', end_time: '2024-01-02T00:00:00Z' };
      const body = { endpoints: [{ hostname: `h${++this.made}`, service: 'web', ...times }] };
      await this.call(TENANT, 'POST', this.dated('/api/v2/downtimes'), body);
    },
    report: async () => {
      const name = this.mostly(0.6) ? this.fresh('reportName') : this.some('reportName');
      const profiles = [{ id: this.some('metric_profiles'), type: 'metric' }];
      const body = { info: { name }, profiles, topology_schema: { group: { type: 'NGI', group: { type: 'SITES' } } } };
      if (this.mostly(0.6)) this.note('report', idIn(await this.call(TENANT, 'POST', '/api/v2/reports', body)));
      else await this.call(TENANT, 'PUT', `/api/v2/reports/${this.some('report')}`, { ...body, disabled: this.often(0.5) });
      await this.call(TENANT, 'POST', `/api/v2/reports/${this.some('report')}/${this.often(0.5) ? 'set-public' : 'set-private'}`);
    },
    data: async () => {
      const status = this.often(0.5) ? 'OK' : 'CRITICAL';
      const report = this.often(0.5) ? {} : { report: this.some('reportName') };
      const place = { ...report, endpoint_group: 'SITE-A', service: 'CE', host: 'h1', metric: 'ping' };
      const timestamp = `2024-01-15T${this.beginning ? 12 : 10 + Math.floor(this.random() * 9)}:00:00Z`;
      await this.call(TENANT, 'POST', '/api/v2/metric_data', [{ timestamp, status, summary: `s${++this.made}`, ...place }]);
    },
    recomputation: async () => {
      const requester_email = `q${++this.made}@x.org`;
      const person = { requester_name: `n${this.made}`, requester_email, reason: 'power', report: this.some('reportName') };
      const times = { start_time: '2015-01-10T12:00:00Z', end_time: '2015-01-30T23:00:00Z', exclude: ['SITE-A'] };
      const made = idIn(await this.call(TENANT, 'POST', '/api/v2/recomputations', { ...person, ...times }));
      this.note('recomputation', made);
      this.belongs(made, requester_email);
      const one = this.some('recomputation');
      const path = `/api/v2/recomputations/${one}`;
      if (this.often(0.2)) await this.erase(TENANT, one, path);
      else await this.call(TENANT, 'POST', `${path}/status`, { status: 'approved' });
    },
    health: async () => {
      const said = { status: this.often(0.5) ? 'OK' : 'CRITICAL', message: `m${++this.made}` };
      await this.call(TENANT, 'POST', '/api/v2/consistency/auto-check', said);
      if (this.often(0.5)) await this.call(TENANT, 'POST', '/api/v3/consistency/ack', { ...said, timeout_hours: 1 });
    },
    tenant: async () => {
      const name = this.fresh('tenantName');
      const made = idIn(await this.call(SUPER, 'POST', '/api/v2/admin/tenants', this.tenant(name)));
      this.note('tenant', made);
      this.belongs(made, `${name}@example.org`);
      const [first] = this.ids.tenant ?? [];
      const other = this.some('tenant');
      if (other === first) return;
      if (this.often(0.2)) await this.erase(SUPER, other, `/api/v2/admin/tenants/${other}`);
      else if (this.often(0.5)) await this.parts(other);
      else await this.call(SUPER, 'PUT', `/api/v2/admin/tenants/${other}/status`, { engine_config: this.often(0.5) });
    },
    tenantUser: async () => {
      const [first] = this.ids.tenant ?? [];
      const person = { name: `u${++this.made}`, email: `u${this.made}@x.org`, roles: ['viewer'] };
      const made = idIn(await this.call(SUPER, 'POST', `/api/v2/admin/tenants/${first}/users`, person));
      this.note('tenantUser', made);
      this.belongs(made, person.email);
      const one = this.some('tenantUser');
      const path = `/api/v2/admin/tenants/${first}/users/${one}`;
      if (this.often(0.3)) await this.erase(SUPER, one, path);
      else await this.call(SUPER, 'POST', `${path}/renew_api_key`);
    },
    feed: async () => {
      const feed = { type: 'gocdb', feed_url: `https://feed-${++this.made}.example.org`, paginated: 'true', fetch_type: ['a'] };
      await this.call(TENANT, 'PUT', '/api/v2/feeds/topology', feed);
      const weights = { type: 'vapor', feed_url: `https://w-${this.made}.example.org`, weight_type: 'h', group_type: 's' };
      await this.call(TENANT, 'PUT', '/api/v2/feeds/weights', weights);
      await this.call(TENANT, 'PUT', '/api/v2/feeds/data', { tenants: [] });
      await this.call(TENANT, 'PUT', '/api/v2/feeds/data', { tenants: this.ids.tenantName?.slice(0, 1) ?? [] });
      await this.call(TENANT, 'PUT', '/api/v2/feeds/data/readers', { tenants: this.ids.tenantName ?? [] });
    },
    metricList: async () => {
      await this.call(SUPER, 'PUT', '/api/v2/admin/metrics', [{ name: `metric-${++this.made}`, tags: ['t'] }]);
    },
  };

  /** What is built upon comes first. */
  private get all(): Readonly<Record<string, () => Promise<void>>> {
    const { messaging, accounting, status } = this;
    return Object.fromEntries(
      [messaging, accounting, status].flatMap((service, index) =>
        Object.entries(service).map(([name, change]) => [`${index}${name}`, change]),
      ),
    );
  }
}

const idIn = (json: Json): unknown => (json.data as { id?: unknown } | undefined)?.id;
