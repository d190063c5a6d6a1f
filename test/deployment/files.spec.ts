import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { load, loadAll, YAML11_SCHEMA } from 'js-yaml';
import { loadConfiguration } from '#infra/platform/config/configuration.js';
import { ROOT, stagesOfImage } from './image.js';

type Tree = { readonly [name: string]: unknown };

const text = (path: string): Promise<string> => readFile(join(ROOT, path), 'utf8');
/** With the merges of YAML 1.1, which Compose has. */
const yaml = async (path: string): Promise<Tree> => load(await text(path), { schema: YAML11_SCHEMA }) as Tree;

/** What is in a document at a path of names and indexes; `undefined` where there is nothing. */
const at = (tree: unknown, ...path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>((inner, name) => (typeof inner === 'object' && inner !== null ? (inner as Tree)[name] : undefined), tree);
const list = (tree: unknown, ...path: readonly (string | number)[]): readonly unknown[] => (at(tree, ...path) ?? []) as readonly unknown[];
const names = (tree: unknown): readonly string[] => Object.keys((tree ?? {}) as Tree);

/** The environment variables that docs/running/settings.md lists. */
const documented = async (): Promise<readonly string[]> =>
  [...(await text('docs/running/settings.md')).matchAll(/^\| (`[^|]*`) \|/gm)].flatMap(
    ([, cell = '']) => cell.match(/[A-Z][A-Z_]+/g) ?? [],
  );

/** Names of environment variables in a text that starts each of them on a line of its own. */
const variablesIn = (lines: string): readonly string[] => [...lines.matchAll(/^([A-Z_]+)=/gm)].map(([, name = '']) => name);

describe('the Dockerfile', () => {
  it('copies only what is in the checkout and not ignored, or made by an earlier stage', async () => {
    const stages = await stagesOfImage();
    const allowed = new Set((await text('.dockerignore')).split('\n').flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : [])));
    expect(stages.map(({ name }) => name)).toEqual(['build', '']);
    for (const { copies } of stages)
      for (const { stage, sources } of copies)
        for (const source of sources) {
          if (stage === undefined)
            expect([
              source,
              existsSync(join(ROOT, source)),
              [source, source.split('/')[0] ?? ''].some((name) => allowed.has(name)),
            ]).toEqual([source, true, true]);
          else expect([source, stages.some(({ name }) => name === stage)]).toEqual(['/package', true]);
        }
  });

  it('runs as nobody in particular, without a shell before the server, and knows whether it is alive', async () => {
    const instructions = new Map((await stagesOfImage()).at(-1)?.instructions);
    expect(instructions.get('USER')).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect(instructions.get('STOPSIGNAL')).toBe('SIGTERM');
    expect(instructions.get('HEALTHCHECK')).toContain('--start-period=1h '); // a large log is read whole after two kills
    for (const [name, pattern] of [
      ['ENTRYPOINT', /^\[.*\]$/],
      ['CMD', /^\[.*\]$/],
      ['HEALTHCHECK', /CMD (\[.*\])$/],
    ] as const) {
      const [command = ''] = /\[.*\]$/.exec(instructions.get(name) ?? '') ?? [];
      expect(instructions.get(name)).toMatch(pattern);
      for (const file of (JSON.parse(command) as string[]).filter((one) => one.endsWith('.mjs')))
        expect(existsSync(join(ROOT, file))).toBe(true);
    }
  });

  it('gives the server settings that it knows, and a port and a directory that the image declares', async () => {
    const instructions = new Map((await stagesOfImage()).at(-1)?.instructions);
    const environment = Object.fromEntries((instructions.get('ENV') ?? '').split(/\s+/).map((one) => one.split('=') as [string, string]));
    const known = await documented();
    expect(names(environment).filter((name) => !known.includes(name))).toEqual(['NODE_ENV']);
    const { host, port, dataDirectory } = loadConfiguration(environment);
    expect([host, String(port), dataDirectory]).toEqual(['0.0.0.0', instructions.get('EXPOSE'), instructions.get('VOLUME')]);
  });
});

const WORKER_ROLES = 'api,projector,push,history';

describe('compose.single.yaml', () => {
  it('has one node with everything on its disk, confined as those of compose.yaml', async () => {
    const services = at(await yaml('deploy/compose.single.yaml'), 'services') as Tree;
    expect(names(services)).toEqual(['logbook']);
    const { logbook } = services;
    const several = at(await yaml('deploy/compose.yaml'), 'services', 'worker1') as Tree;
    for (const confinement of ['image', 'restart', 'read_only', 'tmpfs', 'cap_drop', 'security_opt', 'stop_grace_period'])
      expect([confinement, at(logbook, confinement)]).toEqual([confinement, several[confinement]]);
    expect(list(logbook, 'ports').map(String)).toEqual([expect.stringMatching(/:-127\.0\.0\.1:8080}:8080$/)]);
    const known = await documented();
    expect(names(at(logbook, 'environment')).filter((variable) => !known.includes(variable))).toEqual([]);
    const instructions = new Map((await stagesOfImage()).at(-1)?.instructions);
    expect(list(logbook, 'volumes')).toEqual([`data:${instructions.get('VOLUME')}`]);
  });
});

describe('compose.yaml', () => {
  const services = async () => at(await yaml('deploy/compose.yaml'), 'services') as Tree;
  const rolesOf = async () =>
    Object.entries(await services()).flatMap(([name, service]) => {
      const roles = at(service, 'environment', 'LOGBOOK_ROLES');
      return roles === undefined ? [] : [[name, roles] as const];
    });

  it('has three nodes that answer and two that do everything, with settings that Logbook knows', async () => {
    const roles = await rolesOf();
    expect(roles.map(([, given]) => given).sort()).toEqual(['api', 'api', 'api', WORKER_ROLES, WORKER_ROLES]);
    const known = await documented();
    for (const [name] of roles) {
      const environment = at(await services(), name, 'environment') as Record<string, string>;
      expect([name, names(environment).filter((variable) => !known.includes(variable))]).toEqual([name, []]);
      const settings = { ...environment, LOGBOOK_PUBLIC_URL: 'http://localhost' }; // of Compose's own variables
      expect(loadConfiguration(settings)).toMatchObject({ eventStoreUrl: expect.any(String), redisUrl: expect.any(String) });
    }
  });

  it('gives nodes nothing to write to but their volumes, and more time than they need to end', async () => {
    for (const [name] of await rolesOf()) {
      const service = at(await services(), name);
      expect([name, at(service, 'read_only'), at(service, 'cap_drop')]).toEqual([name, true, ['ALL']]);
      const drain = Number(at(service, 'environment', 'LOGBOOK_DRAIN_SECONDS'));
      expect(drain).toBeGreaterThan(3); // three checks of the balancer, a second apart
      expect(Number.parseInt(String(at(service, 'stop_grace_period')), 10)).toBeGreaterThan(drain + 15);
    }
  });

  it('lets nodes believe the balancer, and nobody else of its network', async () => {
    const proxy = at(await services(), 'balancer', 'networks', 'logbook', 'ipv4_address');
    for (const [name] of await rolesOf())
      expect([name, at(await services(), name, 'environment', 'LOGBOOK_TRUSTED_PROXIES')]).toEqual([name, proxy]);
  });

  it('has a Redis that forgets nothing, and a balancer with every node in its backend', async () => {
    const command = list(await services(), 'redis', 'command').join(' ');
    expect(command).toContain('--appendonly yes');
    expect(command).toContain('--maxmemory-policy noeviction');
    const balancer = await text('deploy/haproxy.cfg');
    const backend = (name: string) =>
      [...(balancer.split(`\nbackend ${name}\n`)[1]?.split('\nbackend ')[0] ?? '').matchAll(/^ {4}server (\S+) (\S+)$/gm)].map(
        ([, server, address]) => [server, address],
      );
    const roles = await rolesOf();
    for (const [name, given] of [
      ['api', 'api'],
      ['history', WORKER_ROLES],
    ] as const)
      expect(backend(name)).toEqual(roles.filter(([, its]) => its === given).map(([node]) => [node, `${node}:8080`]));
    for (const route of ['path,url_dec /audit /ops /console/live', 'path,url_dec -m beg /audit/ /ops/', 'req.hdr(Logbook-As-Of) -m found'])
      expect(balancer).toContain(`\n    acl needs_history ${route}\n`);
  });
});

describe('the manifests of Kubernetes', () => {
  const BASE = 'deploy/kubernetes/base';
  const resources = async (): Promise<readonly unknown[]> => {
    const files = list(await yaml(`${BASE}/kustomization.yaml`), 'resources').map(String);
    return (await Promise.all(files.map((file) => text(`${BASE}/${file}`)))).flatMap((one) => loadAll(one));
  };
  const ofKind = async (...kinds: readonly string[]) => (await resources()).filter((one) => kinds.includes(String(at(one, 'kind'))));
  const settings = async () => at((await ofKind('ConfigMap'))[0], 'data') as Readonly<Record<string, string>>;
  const drainSeconds = async (): Promise<number> => Number((await settings()).LOGBOOK_DRAIN_SECONDS);

  it('are all named by their kustomizations, and have names of their own', async () => {
    const all = await resources();
    const ids = all.map((one) => `${at(one, 'apiVersion')} ${at(one, 'kind')} ${at(one, 'metadata', 'name')}`);
    expect([new Set(ids).size, ids.filter((id) => id.includes('undefined'))]).toEqual([7, []]);
    const gateway = list(await yaml('deploy/kubernetes/gateway/kustomization.yaml'), 'resources').map(String);
    for (const path of gateway) expect([path, existsSync(join(ROOT, 'deploy/kubernetes/gateway', path))]).toEqual([path, true]);
  });

  it('run nodes that write to volumes only, are asked for their health, and end in time', async () => {
    const workloads = await ofKind('Deployment', 'StatefulSet');
    expect(workloads.map((one) => at(one, 'spec', 'replicas'))).toEqual([3, 2]);
    for (const workload of workloads) {
      const pod = at(workload, 'spec', 'template', 'spec');
      const container = at(pod, 'containers', 0);
      expect(at(pod, 'securityContext')).toMatchObject({ runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000 });
      expect(at(container, 'securityContext')).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      // A start that reads a large log whole would be killed, and begin anew.
      const { httpGet, periodSeconds, failureThreshold } = at(container, 'startupProbe') as Readonly<Record<string, unknown>>;
      expect(httpGet).toEqual(at(container, 'livenessProbe', 'httpGet'));
      expect(Number(periodSeconds) * Number(failureThreshold)).toBeGreaterThanOrEqual(3_600);
      expect(at(container, 'livenessProbe', 'httpGet')).toEqual({ path: '/health/live', port: 'http', scheme: 'HTTP' });
      expect(at(container, 'readinessProbe', 'httpGet')).toEqual({ path: '/health/ready', port: 'http', scheme: 'HTTP' });
      expect(at(container, 'lifecycle')).toBeUndefined(); // the server drains by itself
      expect(Number(at(pod, 'terminationGracePeriodSeconds'))).toBeGreaterThan((await drainSeconds()) + 15);
      expect(at(container, 'resources')).toMatchObject({
        requests: { memory: expect.any(String) },
        limits: { memory: expect.any(String) },
      });
      const volumes = [...list(pod, 'volumes'), ...list(workload, 'spec', 'volumeClaimTemplates').map((claim) => at(claim, 'metadata'))];
      expect(
        list(container, 'volumeMounts')
          .map((mount) => at(mount, 'name'))
          .sort(),
      ).toEqual(volumes.map((volume) => at(volume, 'name')).sort());
    }
  });

  it('have services and disruption budgets that select the pods they are for', async () => {
    for (const workload of await ofKind('Deployment', 'StatefulSet')) {
      const [name, labels] = [at(workload, 'metadata', 'name'), at(workload, 'spec', 'template', 'metadata', 'labels')];
      const named = (all: readonly unknown[]) => all.find((one) => at(one, 'metadata', 'name') === name);
      const selected = at(workload, 'spec', 'selector', 'matchLabels');
      expect(selected).toHaveProperty(['app.kubernetes.io/component']);
      expect(labels).toMatchObject(selected as Tree);
      expect(at(named(await ofKind('Service')), 'spec', 'selector')).toEqual(selected);
      expect(at(named(await ofKind('PodDisruptionBudget')), 'spec', 'selector', 'matchLabels')).toEqual(selected);
    }
    const [route] = [await yaml('deploy/kubernetes/gateway/route.yaml')];
    const backends = list(route, 'spec', 'rules').flatMap((rule) => list(rule, 'backendRefs').map((backend) => at(backend, 'name')));
    expect(backends).toEqual(['logbook-worker', 'logbook-api']);
  });

  it('give nodes settings that Logbook knows, and let no proxy be believed that is not named', async () => {
    const known = await documented();
    for (const workload of await ofKind('Deployment', 'StatefulSet')) {
      const environment: Record<string, string> = { ...(await settings()) };
      const container = at(workload, 'spec', 'template', 'spec', 'containers', 0);
      for (const one of list(container, 'env')) environment[String(at(one, 'name'))] = String(at(one, 'value'));
      expect(loadConfiguration(environment)).toMatchObject({ startTimeoutSeconds: 600, trustedProxies: [] });
      expect(names(environment).filter((name) => !known.includes(name))).toEqual([]);
    }
  });
});

describe('the systemd unit and the file of secrets', () => {
  it('start a program that is there, and name settings that Logbook knows', async () => {
    const unit = await text('deploy/logbook.service');
    const [, program = ''] = /^ExecStart=.* \/opt\/logbook\/(\S+) serve$/m.exec(unit) ?? [];
    expect([program, existsSync(join(ROOT, program))]).toEqual(['tools/logbook.mjs', true]);
    // Run under systemd 252 in a container of Debian 12: without these three Node is killed at its start (SIGSYS in pkey_alloc).
    expect(unit).toMatch(/^SystemCallFilter=@system-service @pkey\nSystemCallFilter=~@privileged\nSystemCallErrorNumber=EPERM$/m);
    expect(Number(/^TimeoutStopSec=(\d+)s$/m.exec(unit)?.[1])).toBeGreaterThan(15);
    const verified = spawnSync('systemd-analyze', ['verify', 'deploy/logbook.service'], { cwd: ROOT, encoding: 'utf8' });
    if (!verified.error) expect([verified.status, verified.stderr]).toEqual([0, '']);
    const known = await documented();
    const secrets = variablesIn(await text('deploy/logbook.env.example'));
    expect(secrets).toEqual(expect.arrayContaining(['LOGBOOK_MASTER_KEY', 'LOGBOOK_SIGNING_KEY', 'EVENTSTORE_URL', 'REDIS_URL']));
    expect(secrets.filter((name) => !known.includes(name))).toEqual([]);
  });
});

describe('the configurations of reverse proxies', () => {
  const CHECKED = [
    ['nginx', ['-t', '-q', '-c']],
    ['haproxy', ['-c', '-f']],
    ['caddy', ['validate', '--adapter', 'caddyfile', '--config']],
  ] as const;

  /** As the files are, but for what this machine does not have: certificates, and names of hosts. */
  const configurationOf = async (proxy: (typeof CHECKED)[number][0], folder: string): Promise<string> => {
    if (proxy === 'haproxy') return text('deploy/haproxy.cfg');
    if (proxy === 'caddy') return text('deploy/proxies/Caddyfile');
    const names = ['-subj', '/CN=logbook.example.org', '-keyout', `${folder}/tls.key`, '-out', `${folder}/tls.crt`];
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...names], { stdio: 'pipe' });
    const server = (await text('deploy/proxies/nginx.conf')).replaceAll('/etc/ssl/logbook', folder);
    const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder};`).join('\n');
    return `pid ${folder}/pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${places}\n${server}\n}\n`;
  };

  it.each(CHECKED)('of %s is one that the program takes, where it is on the PATH', async (proxy, given) => {
    const folder = await mkdtemp(join(tmpdir(), 'logbook-proxy-'));
    try {
      const file = join(folder, 'configuration');
      await writeFile(file, await configurationOf(proxy, folder));
      const checked = spawnSync(proxy, [...given, file], { encoding: 'utf8' });
      expect(checked.error ? 'not here' : [checked.status, checked.status === 0 ? '' : checked.stderr]).toEqual(
        checked.error ? 'not here' : [0, ''],
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('refuse the metrics of a node however the path is written, and no client says where the server is found', async () => {
    const [nginx, caddy, haproxy] = await Promise.all(
      ['proxies/nginx.conf', 'proxies/Caddyfile', 'haproxy.cfg'].map((file) => text(`deploy/${file}`)),
    );
    // nginx and Caddy compare decoded paths, HAProxy what came.
    expect(nginx).toMatch(/location = \/metrics {\n\s+return 404;/);
    expect(caddy).toMatch(/^\s+respond \/metrics 404$/m);
    expect(haproxy).toMatch(/^\s+http-request return status 404 if { path,url_dec \/metrics }$/m);
    expect(nginx).toMatch(/^\s+proxy_set_header X-Forwarded-Prefix "";$/m);
    expect(caddy).toMatch(/^\s+header_up -X-Forwarded-Prefix$/m);
    expect(haproxy).toMatch(/^\s+http-request del-header X-Forwarded-Prefix$/m);
  });

  it('do not gather what is streamed, let a pull wait, and take bodies as large as the server does', async () => {
    const nginx = await text('deploy/proxies/nginx.conf');
    for (const line of ['proxy_buffering off', 'proxy_request_buffering off', 'proxy_read_timeout 75s', 'client_max_body_size 64m'])
      expect(nginx).toContain(`${line};`);
    expect(loadConfiguration({}).bodyLimitBytes).toBe(64 * 2 ** 20);
    expect(await text('deploy/haproxy.cfg')).toMatch(/timeout server 75s/);
    expect((await text('deploy/proxies/Caddyfile')).replace(/^\s*#.*$/gm, '')).not.toMatch(
      /flush_interval|request_buffers|response_buffers/,
    );
  });
});
