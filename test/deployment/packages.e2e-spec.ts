import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ROOT } from './image.js';

type Manifest = Readonly<{
  name: string;
  version: string;
  license: string;
  private?: boolean;
  dependencies?: Readonly<Record<string, string>>;
}>;
type Component = Readonly<{
  name: string;
  group?: string;
  version: string;
  purl: string;
  licenses: readonly Readonly<{ license?: Readonly<{ id?: string }>; expression?: string }>[];
}>;
/** As esbuild writes it: paths from `dist`. */
type Metafile = Readonly<{ inputs: Readonly<Record<string, Readonly<{ imports: readonly Readonly<{ path: string }>[] }>>> }>;

const text = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const json = <Content>(path: string): Content => JSON.parse(text(path)) as Content;
const manifestOf = (place: string): Manifest => json<Manifest>(`${place}/package.json`);

const { inputs } = json<Metafile>('dist/metafile.json');
const placeOf = (path: string): string | undefined => /^\.\.\/(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
const withinBundle = new Set(Object.keys(inputs).flatMap((path) => placeOf(path) ?? []));

/** Those that are put beside the bundle, as what an image holds shows them: paths from there. */
const besideBundle = (install: string): readonly string[] =>
  readdirSync(join(install, 'node_modules'), { recursive: true, encoding: 'utf8' })
    .map((path) => /^(?:.*node_modules\/)?(?:@[^/]+\/)?[^/]+(?=\/package\.json$)/.exec(path)?.[0])
    .flatMap((path) => (path === undefined || manifestOf(`node_modules/${path}`).private ? [] : [`node_modules/${path}`]));
const install = mkdtempSync(join(tmpdir(), 'logbook-packages-'));
execFileSync(process.execPath, ['tools/package.mjs', install], { cwd: ROOT });
const beside = besideBundle(install);
rmSync(install, { recursive: true });
const all = [...new Set([...withinBundle, ...beside])].map(manifestOf);
const named = ({ name, version }: Manifest): string => `${name} ${version}`;

/** By a process of its own: the validator looks for packages in ways that Jest does not know. */
const flawsOf = (bill: string): string =>
  execFileSync(process.execPath, ['--input-type=module', '-e', VALIDATION], { cwd: ROOT, input: bill, encoding: 'utf8' }).trim();
const VALIDATION = `
  import { readFileSync } from 'node:fs';
  import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
  const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
  console.log(JSON.stringify(await validator.validate(readFileSync(0, 'utf8'))));`;

describe('the dependencies of package.json', () => {
  const { dependencies = {} } = json<Manifest>('package.json');

  it('are what the sources of the program import, and nothing that is not in an installation', () => {
    const isOurs = (path: string): boolean => placeOf(path) === undefined;
    const imported = Object.entries(inputs).flatMap(([path, { imports }]) => (isOurs(path) ? imports : []));
    const direct = new Set(imported.flatMap(({ path }) => placeOf(path) ?? []).map((place) => place.replace('node_modules/', '')));
    expect([...direct].filter((name) => !(name in dependencies))).toEqual([]);
    const installed = new Set([...withinBundle, ...beside]);
    const unused = Object.keys(dependencies).filter((name) => !installed.has(`node_modules/${name}`));
    expect(unused).toEqual(['@scarf/scarf']); // ours, and empty
  });
});

describe('the bill of materials of the build', () => {
  const bill = text('dist/server/sbom.cdx.json');
  const { components } = JSON.parse(bill) as { components: readonly Component[] };

  it('is CycloneDX, version 1.6', () => {
    expect(flawsOf(bill)).toBe('null');
    expect(flawsOf(bill.replace('"components"', '"component"'))).toContain('component');
  });

  it('names every package of the bundle and beside it, with version, licence and package URL, and no other', () => {
    const listed = components.map(({ group, name, ...rest }) => ({ ...rest, name: group ? `${group}/${name}` : name }));
    expect(listed.map(({ name, version }) => `${name} ${version}`).sort()).toEqual([...new Set(all.map(named))].sort());
    for (const { name, version, license } of all) {
      const one = listed.find((listedOne) => listedOne.name === name && listedOne.version === version);
      expect(one?.purl).toBe(`pkg:npm/${name.replace('@', '%40')}@${version}`);
      expect([name, one?.licenses.map((given) => given.license?.id ?? given.expression)]).toEqual([name, [license]]);
    }
    expect(all.length).toBeGreaterThan(100);
  });
});

describe('the licences of the build', () => {
  const RULE = `\n\n${'-'.repeat(100)}\n\n`;
  const [, ...parts] = text('dist/server/THIRD-PARTY-LICENSES').split(RULE);

  it('have a text for every package', () => {
    const texts = new Map<string, string>();
    for (const part of parts) {
      const [names = '', ...rest] = part.split('\n\n');
      for (const name of names.split('\n')) texts.set(name, rest.join('\n\n'));
    }
    const wanted = all.map((manifest) => `${named(manifest)} (${manifest.license})`);
    expect([...texts.keys()].sort()).toEqual([...new Set(wanted)].sort());
    for (const [name, said] of texts) {
      expect([name, said.length > 500 || said.includes('Copyright')]).toEqual([name, true]);
      expect([name, /undefined/.test(said)]).toEqual([name, false]);
    }
  });

  it('have those of what packages contain, and of packages that bring none', () => {
    const of = (name: string) => parts.find((part) => part.split('\n\n')[0]?.includes(name)) ?? '';
    expect(of('lmdb 3')).toContain('The OpenLDAP Public License');
    expect(of('swagger-ui-dist')).toContain('swagger-ui-bundle.js.LICENSE.txt');
    expect(of('@eventstore/db-client')).toContain('Apache License');
    expect(of('@redis/client')).toContain('Permission is hereby granted');
  });
});
