import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
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

/** The environment variables that docs/operations.md lists. */
const documented = async (): Promise<readonly string[]> =>
  [...(await text('docs/operations.md')).matchAll(/^\| (`[^|]*`) \|/gm)].flatMap(([, cell = '']) => cell.match(/[A-Z][A-Z_]+/g) ?? []);

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
            expect([source, existsSync(join(ROOT, source)), allowed.has(source.split('/')[0] ?? '')]).toEqual([source, true, true]);
          else expect([source, stages.some(({ name }) => name === stage)]).toEqual(['/package', true]);
        }
  });

  it('runs as nobody in particular, without a shell before the server, and knows whether it is alive', async () => {
    const instructions = new Map((await stagesOfImage()).at(-1)?.instructions);
    expect(instructions.get('USER')).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect(instructions.get('STOPSIGNAL')).toBe('SIGTERM');
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

  it('gives nodes nothing to write to but their volumes, and more time to end than a pull takes', async () => {
    for (const [name] of await rolesOf()) {
      const service = at(await services(), name);
      expect([name, at(service, 'read_only'), at(service, 'cap_drop')]).toEqual([name, true, ['ALL']]);
      const drain = Number(at(service, 'environment', 'LOGBOOK_DRAIN_SECONDS'));
      expect(drain).toBeGreaterThan(3); // three checks of the balancer, a second apart
      expect(Number.parseInt(String(at(service, 'stop_grace_period')), 10)).toBeGreaterThan(drain + 30);
    }
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
    for (const route of [/acl needs_history path \/audit \/ops$/m, /acl needs_history path_beg \/audit\/ \/ops\/$/m, /Logbook-As-Of/])
      expect(balancer).toMatch(route);
  });
});

describe('the manifests of Kubernetes', () => {
  const BASE = 'deploy/kubernetes/base';
  const resources = async (): Promise<readonly unknown[]> => {
    const files = list(await yaml(`${BASE}/kustomization.yaml`), 'resources').map(String);
    return (await Promise.all(files.map((file) => text(`${BASE}/${file}`)))).flatMap((one) => loadAll(one));
  };
  const drainSeconds = async (): Promise<number> =>
    Number(/^\s+- LOGBOOK_DRAIN_SECONDS=(\d+)$/m.exec(await text(`${BASE}/kustomization.yaml`))?.[1]);
  const ofKind = async (...kinds: readonly string[]) => (await resources()).filter((one) => kinds.includes(String(at(one, 'kind'))));

  it('are all named by their kustomizations, and have names of their own', async () => {
    const all = await resources();
    const ids = all.map((one) => `${at(one, 'apiVersion')} ${at(one, 'kind')} ${at(one, 'metadata', 'name')}`);
    expect([new Set(ids).size, ids.filter((id) => id.includes('undefined'))]).toEqual([6, []]);
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
      expect(at(container, 'livenessProbe', 'httpGet')).toEqual({ path: '/health/live', port: 'http' });
      expect(at(container, 'readinessProbe', 'httpGet')).toEqual({ path: '/health/ready', port: 'http' });
      expect(at(container, 'lifecycle')).toBeUndefined(); // the server drains by itself
      expect(Number(at(pod, 'terminationGracePeriodSeconds'))).toBeGreaterThan((await drainSeconds()) + 30);
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
      expect(at(workload, 'spec', 'selector', 'matchLabels')).toEqual(labels);
      expect(at(named(await ofKind('Service')), 'spec', 'selector')).toEqual(labels);
      expect(at(named(await ofKind('PodDisruptionBudget')), 'spec', 'selector', 'matchLabels')).toEqual(labels);
    }
    const [route] = [await yaml('deploy/kubernetes/gateway/route.yaml')];
    const backends = list(route, 'spec', 'rules').flatMap((rule) => list(rule, 'backendRefs').map((backend) => at(backend, 'name')));
    expect(backends).toEqual(['logbook-worker', 'logbook-api']);
  });

  it('give nodes settings that Logbook knows', async () => {
    const known = await documented();
    const generated = list(await yaml(`${BASE}/kustomization.yaml`), 'configMapGenerator', 0, 'literals').map(String);
    const environment = Object.fromEntries(generated.map((literal) => literal.split('=') as [string, string]));
    for (const workload of await ofKind('Deployment', 'StatefulSet')) {
      const container = at(workload, 'spec', 'template', 'spec', 'containers', 0);
      for (const one of list(container, 'env')) environment[String(at(one, 'name'))] = String(at(one, 'value'));
      expect(loadConfiguration(environment).startTimeoutSeconds).toBe(600);
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
    expect(Number(/^TimeoutStopSec=(\d+)s$/m.exec(unit)?.[1])).toBeGreaterThan(30);
    const known = await documented();
    const secrets = variablesIn(await text('deploy/logbook.env.example'));
    expect(secrets).toEqual(expect.arrayContaining(['LOGBOOK_MASTER_KEY', 'LOGBOOK_SIGNING_KEY', 'EVENTSTORE_URL', 'REDIS_URL']));
    expect(secrets.filter((name) => !known.includes(name))).toEqual([]);
  });
});
