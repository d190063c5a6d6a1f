import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';

const text = (path: string): string => readFileSync(path, 'utf8');
const json = <Content>(path: string): Content => JSON.parse(text(path)) as Content;
const yaml = <Content>(path: string): Content => load(text(path)) as Content;

type Manifest = Readonly<{
  version: string;
  license: string;
  engines: { node: string };
  homepage: string;
  repository: { url: string };
  bugs: { url: string };
}>;
const { version, license, engines, homepage, repository, bugs } = json<Manifest>('package.json');
const citation = yaml<Readonly<Record<string, unknown>>>('CITATION.cff');
const metadata = json<Readonly<Record<string, unknown>>>('codemeta.json');

describe('a release', () => {
  it('has one version, wherever it is said', () => {
    const lock = json<Readonly<{ version: string; packages: Readonly<Record<string, { version: string }>> }>>('package-lock.json');
    const chart = yaml<Readonly<Record<string, unknown>>>('deploy/helm/logbook/Chart.yaml');
    const described = json<Readonly<{ info: { version: string } }>>('docs/asyncapi.json').info;
    expect([
      lock.version,
      lock.packages['']?.version,
      chart.version,
      chart.appVersion,
      citation.version,
      metadata.version,
      described.version,
    ]).toEqual(Array.from({ length: 7 }, () => version));
  });

  it('is found at one place', () => {
    const place = repository.url.replace(/^git\+/, '').replace(/\.git$/, '');
    expect([homepage, bugs.url]).toEqual([`${place}#readme`, `${place}/issues`]);
    expect([citation['repository-code'], metadata.codeRepository, metadata.issueTracker]).toEqual([place, place, bugs.url]);
  });

  it('is named in the changelog, with its date, and a link to it', () => {
    const changelog = text('CHANGELOG.md');
    const [, newest, date] = /^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)$/m.exec(changelog) ?? [];
    expect([newest, date]).toEqual([version, citation['date-released']]);
    expect([metadata.datePublished]).toEqual([date]);
    expect(changelog).toMatch(new RegExp(`^\\[${version}\\]: https://\\S+/v${version}$`, 'm'));
  });
});

it('the badges of the README are true', () => {
  const badges = [...text('README.md').matchAll(/^\[!\[(\w+) ?([^\]]*)\]\(([^)]+)\)\]\(([^)]+)\)$/gm)].map(([, ...parts]) => parts);
  const shield = (name: string, value: string): string =>
    `https://img.shields.io/badge/${name}-${encodeURIComponent(value.replaceAll('-', '--'))}-blue`;
  const node = engines.node.replace('>=', '≥ ');
  expect(badges).toEqual([
    ['release', version, shield('release', version), 'CHANGELOG.md'],
    ['Node', node, shield('Node', node), 'SECURITY.md'],
    ['license', license, shield('license', license), 'LICENSE'],
  ]);
});

describe('the workflows', () => {
  type Step = Readonly<{ name?: string; uses?: string; run?: string; with?: Readonly<Record<string, unknown>> }>;
  type Matrix = Readonly<{ node?: readonly string[]; include?: readonly Readonly<{ platform: string; machine: string }>[] }>;
  type Job = Readonly<{
    uses?: string;
    needs?: string | readonly string[];
    permissions?: Readonly<Record<string, string>>;
    strategy?: { matrix: Matrix };
    steps?: readonly Step[];
  }>;
  type Workflow = Readonly<{ on: object; permissions: object; jobs: Readonly<Record<string, Job>> }>;
  const workflows = ['ci', 'release'].map((name) => yaml<Workflow>(`.github/workflows/${name}.yml`));
  const [ci, release] = workflows.map(({ jobs }) => jobs);
  const steps = workflows.flatMap(({ jobs }) => Object.values(jobs).flatMap((job) => job.steps ?? []));

  it('check what every submission must pass, on each supported release of Node', () => {
    expect(ci?.ci?.steps?.map(({ run }) => run)).toContain('.ci/run');
    const tested = ci?.ci?.strategy?.matrix.node ?? [];
    const supported = /^\| Node \| (.*) \|$/m.exec(text('SECURITY.md'))?.[1] ?? '';
    for (const major of tested) expect(supported).toMatch(new RegExp(`\\b${major}\\b`));
    expect([...tested].sort()[0]).toBe(/\d+/.exec(engines.node)?.[0]);
  });

  it('use actions of versions that are named in full', () => {
    const used = steps.flatMap(({ uses }) => uses ?? []);
    expect(used.length).toBeGreaterThan(5);
    expect(used.filter((action) => !/@v\d+\.\d+\.\d+$/.test(action))).toEqual([]);
  });

  it('release what is on main and has passed the checks', () => {
    expect(workflows[0]?.on).toHaveProperty('workflow_call');
    expect(release?.ci?.uses).toBe('./.github/workflows/ci.yml');
    expect(release?.tag?.steps?.map(({ run }) => run).join()).toContain('git merge-base --is-ancestor "$GITHUB_SHA" origin/main');
    const ancestorsOf = (name: string): readonly string[] =>
      [release?.[name]?.needs ?? []].flat().flatMap((one) => [one, ...ancestorsOf(one)]);
    for (const [name, { permissions }] of Object.entries(release ?? {}))
      if (permissions) expect([name, ancestorsOf(name)]).toEqual([name, expect.arrayContaining(['tag', 'ci'])]);
  });

  it('may write only what each job is for, and leave no key to others in the checkout', () => {
    for (const { permissions } of workflows) expect(permissions).toEqual({ contents: 'read' });
    const writing = Object.entries(release ?? {}).map(([name, { permissions = {} }]) => [
      name,
      Object.keys(permissions).filter((one) => permissions[one] === 'write'),
    ]);
    expect(Object.fromEntries(writing)).toEqual({ tag: [], ci: [], platform: ['packages'], image: ['packages'], files: ['contents'] });
    const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'));
    expect(checkouts.map((step) => step.with?.['persist-credentials'])).toEqual(checkouts.map(() => false));
  });

  it('publish an image for both architectures, made on machines of theirs, with what it is made of and where it comes from', () => {
    expect(release?.platform?.strategy?.matrix.include).toEqual([
      { platform: 'amd64', machine: 'ubuntu-24.04' },
      { platform: 'arm64', machine: 'ubuntu-24.04-arm' },
    ]);
    expect(steps.find(({ uses }) => uses?.startsWith('docker/build-push-action@'))?.with).toMatchObject({
      platforms: expect.stringMatching(/^linux\/\$.*matrix\.platform/),
      sbom: true,
      provenance: 'mode=max',
      labels: expect.stringContaining('.labels'),
    });
    expect(release?.image?.steps?.at(-1)?.run).toContain('"$IMAGE@$AMD64" "$IMAGE@$ARM64"');
  });

  it('publish the bill of materials and the description of the API, as the build makes them', () => {
    const copied = release?.files?.steps?.flatMap(
      ({ run }) =>
        /^cp dist\/server\/(\S+) \.\.\/release\/(\S+)$/
          .exec(run ?? '')
          ?.slice(1)
          .join(' ') ?? [],
    );
    expect(copied).toEqual(['sbom.cdx.json logbook-sbom.cdx.json', 'openapi.json logbook-openapi.json']);
  });

  it('write a chart that knows where the image is, and what the changelog says of the version', () => {
    const folder = mkdtempSync(join(tmpdir(), 'logbook-release-'));
    const checkout = join(folder, 'checkout');
    const values = 'deploy/helm/logbook/values.yaml';
    for (const file of [values, 'CHANGELOG.md']) cpSync(file, join(checkout, file));
    const run = (name: RegExp): void => {
      const script = release?.files?.steps?.find((step) => name.test(step.name ?? ''))?.run ?? '';
      const env = { ...process.env, IMAGE: 'ghcr.io/owner/logbook', GITHUB_REF_NAME: `v${version}` };
      execFileSync('bash', ['-ec', `helm() { :; }\n${script}`], { cwd: checkout, env, stdio: 'pipe' });
    };
    try {
      run(/^The chart/);
      const before = text(values);
      expect(text(join(checkout, values))).toBe(before.replace('repository: logbook\n', 'repository: ghcr.io/owner/logbook\n'));
      run(/^What the changelog says/);
      expect(text(join(folder, 'notes.md'))).toMatch(/^\n### Added\n/);
      expect(text(join(folder, 'notes.md'))).not.toMatch(/^## /m);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
