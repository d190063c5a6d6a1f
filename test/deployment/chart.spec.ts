import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { load, loadAll } from 'js-yaml';
import { SECRET_VARIABLES } from '#infra/platform/config/environment.js';
import { CHART, findHelm, helm, manifests, renderedAs, rulesOfChart } from './chart.js';
import { RULES } from './monitoring-files.js';

type Resource = Readonly<{ apiVersion: string; kind: string; metadata: Readonly<{ name: string }>; spec?: unknown; data?: unknown }>;

const program = findHelm();
const test = program === undefined ? it.skip : it;

const resourcesOf = (release: string, ...given: readonly string[]): readonly Resource[] =>
  (loadAll(renderedAs(program ?? '', release, ...given)) as (Resource | null)[]).filter((one) => one !== null);
const resources = (...given: readonly string[]): readonly Resource[] => resourcesOf('logbook', ...given);
const set = (...values: readonly string[]): readonly string[] => values.flatMap((value) => ['--set', value]);
const idOf = ({ kind, metadata }: Resource): string => `${kind} ${metadata.name}`;
const one = (all: readonly Resource[], id: string): Resource => {
  const found = all.find((resource) => idOf(resource) === id);
  if (!found) throw new Error(`there is no ${id} among ${all.map(idOf).join(', ')}`);
  return found;
};
const monitorIn = (all: readonly Resource[]): unknown =>
  (one(all, 'ServiceMonitor logbook').spec as { endpoints: readonly unknown[] }).endpoints[0];
const refusal = (...given: readonly string[]): string => {
  try {
    return resources(...given)
      .map(idOf)
      .join();
  } catch (error) {
    return String(error);
  }
};
const EVERYTHING = set(
  ...['ingress', 'httpRoute', 'networkPolicy', 'serviceMonitor', 'prometheusRule', 'backup', 'api.autoscaling'].map(
    (part) => `${part}.enabled=true`,
  ),
  'trustedProxies={192.0.2.1,2001:db8::/64}',
);

describe('the Helm chart', () => {
  test('has the alert rules, and is what the manifests for Kustomize come from (npm run manifests)', () => {
    for (const [path, text] of [rulesOfChart(), ...manifests(program ?? '')])
      expect([path, readFileSync(path, 'utf8')]).toEqual([path, text]);
  });

  test('passes the check of Helm, with its default values and with everything', () => {
    for (const given of [[], EVERYTHING, [...EVERYTHING, ...set('mode=embedded', 'tlsSecretName=tls')]])
      expect(helm(program ?? '', 'lint', '--strict', CHART, ...given)).toContain('0 chart(s) failed');
  });

  test('distributed: nodes that answer, nodes that do the rest, and what is asked for besides', () => {
    const all = resources(...EVERYTHING);
    expect(all.map(idOf).sort()).toEqual([
      'ConfigMap logbook',
      'CronJob logbook-backup',
      'Deployment logbook-api',
      'HTTPRoute logbook',
      'HorizontalPodAutoscaler logbook-api',
      'Ingress logbook',
      'NetworkPolicy logbook',
      'PodDisruptionBudget logbook-api',
      'PodDisruptionBudget logbook-worker',
      'PrometheusRule logbook',
      'Service logbook-api',
      'Service logbook-worker',
      'ServiceMonitor logbook',
      'StatefulSet logbook-worker',
    ]);
    expect(one(all, 'Deployment logbook-api').spec).not.toHaveProperty('replicas');
    expect(one(all, 'ConfigMap logbook').data).toMatchObject({ LOGBOOK_TRUSTED_PROXIES: '192.0.2.1,2001:db8::/64' });
    expect(one(all, 'PrometheusRule logbook').spec).toEqual(load(readFileSync(RULES, 'utf8')));
    const paths = (one(all, 'Ingress logbook').spec as { rules: [{ http: { paths: { path: string; backend: { service: object } }[] } }] })
      .rules[0].http;
    expect(paths.paths.map(({ path, backend }) => [path, backend.service])).toEqual([
      ['/audit', { name: 'logbook-worker', port: { name: 'http' } }],
      ['/ops', { name: 'logbook-worker', port: { name: 'http' } }],
      ['/console/live', { name: 'logbook-worker', port: { name: 'http' } }],
      ['/', { name: 'logbook-api', port: { name: 'http' } }],
    ]);
    expect(JSON.stringify(one(all, 'CronJob logbook-backup'))).toContain('"args":["export","/backups/$(POD).jsonl.gz"]');
  });

  test('embedded: one node with everything on its disk, which makes the backups', () => {
    const all = resources(...EVERYTHING, ...set('mode=embedded'));
    expect(
      all
        .map(idOf)
        .filter((id) => /^(Deployment|StatefulSet|Service|Pod|Horizontal)/.test(id))
        .sort(),
    ).toEqual(['Service logbook-worker', 'ServiceMonitor logbook', 'StatefulSet logbook-worker']);
    const node = JSON.stringify(one(all, 'StatefulSet logbook-worker'));
    for (const part of ['"replicas":1', '{"name":"LOGBOOK_BACKUP_DIR","value":"/backups"}', '{"name":"backups","mountPath":"/backups"}'])
      expect(node).toContain(part);
    const backup = JSON.stringify(one(all, 'CronJob logbook-backup'));
    for (const part of ['"args":["backup","$(POD)"]', '{"name":"LOGBOOK_URL","value":"http://logbook-worker"}'])
      expect(backup).toContain(part);
    for (const route of ['Ingress logbook', 'HTTPRoute logbook']) expect(JSON.stringify(one(all, route))).not.toContain('/audit');
  });

  test('with a certificate: nodes, probes and scrapes speak https', () => {
    const all = resources(...EVERYTHING, ...set('mode=embedded', 'tlsSecretName=logbook-tls'));
    expect(one(all, 'ConfigMap logbook').data).toMatchObject({
      LOGBOOK_TLS_CERT_FILE: '/tls/tls.crt',
      LOGBOOK_TLS_KEY_FILE: '/tls/tls.key',
    });
    const node = JSON.stringify(one(all, 'StatefulSet logbook-worker'));
    expect(node.match(/"scheme":"HTTPS"/g)).toHaveLength(3);
    expect(node).toContain('{"name":"tls","mountPath":"/tls","readOnly":true}');
    expect(one(all, 'Service logbook-worker').spec).toMatchObject({ ports: [{ port: 443 }] });
    expect(monitorIn(all)).toMatchObject({ scheme: 'https', tlsConfig: { serverName: 'logbook.example.org' } });
    const backup = JSON.stringify(one(all, 'CronJob logbook-backup'));
    for (const part of [
      '{"name":"LOGBOOK_URL","value":"https://logbook-worker"}',
      '{"name":"tls","mountPath":"/tls","readOnly":true}',
      '{"secretName":"logbook-tls","items":[{"key":"tls.crt","path":"tls.crt"}]}',
    ])
      expect(backup).toContain(part);
    const checked = set('serviceMonitor.tlsConfig.serverName=node', 'serviceMonitor.tlsConfig.insecureSkipVerify=true');
    expect(monitorIn(resources(...EVERYTHING, ...set('tlsSecretName=logbook-tls'), ...checked))).toMatchObject({
      tlsConfig: { serverName: 'node', insecureSkipVerify: true },
    });
  });

  test('lets drains go on however few nodes there are', () => {
    const budgets = resources(...set('api.replicas=1', 'worker.replicas=1')).filter(({ kind }) => kind === 'PodDisruptionBudget');
    expect(budgets.map(({ spec }) => spec)).toEqual([
      expect.objectContaining({ maxUnavailable: 1 }),
      expect.objectContaining({ maxUnavailable: 1 }),
    ]);
  });

  test('routes nobody to the metrics of one node', () => {
    const { rules } = one(resources(...EVERYTHING), 'HTTPRoute logbook').spec as { rules: readonly object[] };
    expect(rules[0]).toEqual({ matches: [{ path: { type: 'Exact', value: '/metrics' } }] });
  });

  test.each([`${'a.'.repeat(26)}a`, `logbook.${'b'.repeat(45)}`])('has names that Kubernetes takes for a release %s', (release) => {
    const all = resourcesOf(release, ...EVERYTHING);
    for (const { metadata } of all) expect(metadata.name).toMatch(/^[a-z]([a-z0-9-]{0,50}[a-z0-9])?$/); // that of a CronJob is the shortest
    expect(new Set(all.map(idOf)).size).toBe(all.length);
  });

  test('takes settings as YAML has them, without those that are said elsewhere or are secret', () => {
    const folder = mkdtempSync(join(tmpdir(), 'logbook-values-'));
    try {
      const values = join(folder, 'values.yaml');
      writeFileSync(
        values,
        'settings: { LOGBOOK_BODY_LIMIT: 67108864, LOGBOOK_PUSH_ALLOW_PRIVATE: true, LOGBOOK_MESSAGING_RETENTION: 1d }',
      );
      expect(one(resources('--values', values), 'ConfigMap logbook').data).toMatchObject({
        LOGBOOK_BODY_LIMIT: '67108864',
        LOGBOOK_PUSH_ALLOW_PRIVATE: 'true',
        LOGBOOK_MESSAGING_RETENTION: '1d',
        LOGBOOK_DRAIN_SECONDS: '5',
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
    const elsewhere = ['HOST', 'PORT', 'DATA_DIR', 'ROLES', 'URL', 'PUBLIC_URL', 'TRUSTED_PROXIES', 'TLS_CERT_FILE', 'TLS_KEY_FILE'];
    const secret = SECRET_VARIABLES.filter((name) => name.startsWith('LOGBOOK_'));
    const names = [...elsewhere.map((rest) => `LOGBOOK_${rest}`), ...secret, 'EVENTSTORE_URL', 'REDIS_URL'];
    expect(
      refusal(...names.flatMap((name) => ['--set-string', `settings.${name}=9`]))
        .match(/[A-Z]+_[A-Z_]+/g)
        ?.sort(),
    ).toEqual(names.sort());
  });

  test.each([
    ['mode=single', /mode/],
    ['trustedProxies={proxy.example.org}', /trustedProxies/],
    ['settings.LOGBOOK_CORS_ORIGINS={a,b}', /LOGBOOK_CORS_ORIGINS/],
    ['api.minAvailable=2', /minAvailable/],
    ['publicUrl=logbook.example.org', /publicUrl/],
    ['apis.replicas=4', /apis/],
  ])('refuses %s', (value, reason) => expect(() => resources('--set', value)).toThrow(reason));
});
