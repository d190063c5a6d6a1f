/**
 * Puts the packages that tests load into a few files. Jest reads, links and evaluates every module anew for every suite, and a suite that uses the
 * application loads three thousand small files of packages: that was more than a quarter of its processor time.
 *
 * Jest runs this before the tests of a run (`globalSetup`); it does nothing while the files are up to date. jest.config.js leads imports there.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commonJs, external } from './bundling.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const stateFolder = join(root, 'node_modules', '.logbook');
const folder = join(stateFolder, 'test-packages');

/** What sources and tests import and consists of many files, or needs many. None that a CommonJS package beside these needs: it cannot `require` them. */
const packages = [
  '@fastify/static',
  '@nestjs/common',
  '@nestjs/core',
  '@nestjs/cqrs',
  '@nestjs/platform-fastify',
  '@nestjs/swagger',
  'ajv',
  'ajv-formats/dist/formats.js',
  'ajv/dist/2020.js',
  'avsc',
  'class-validator',
  'fastify',
  'find-my-way',
  'jose',
  'negotiator',
  'pino',
  'prom-client',
  'redis',
];

/** For `moduleNameMapper`. */
export const testPackages = { [`^(${packages.join('|').replaceAll('.', '\\.')})$`]: join(folder, '$1.mjs') };

/** What a package exports; of a CommonJS package the members of its `module.exports`, as Jest has them without this. */
const namesOf = async (name) => {
  const loaded = await import(name);
  const members = Object.keys(loaded['module.exports'] ?? loaded.default ?? {});
  const isCommonJs = Object.keys(loaded).every((key) => key === 'default' || key === 'module.exports' || members.includes(key));
  return [...new Set([...Object.keys(loaded), ...(isCommonJs ? members : [])])].filter((key) => /^[A-Za-z_$][\w$]*$/.test(key));
};

/** A module for each package that exports what the package does: by itself esbuild gives a CommonJS package a default export only. */
const entries = {
  name: 'entries',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^entry:/ }, ({ path }) => ({ path: path.slice('entry:'.length), namespace: 'entry' }));
    onLoad({ filter: /.*/, namespace: 'entry' }, async ({ path }) => ({
      contents: `export { ${(await namesOf(path)).join(', ')} } from ${JSON.stringify(path)};`,
      resolveDir: root,
    }));
  },
};

/** Of what is installed, which npm writes down, and of how it is bundled. */
const fingerprint = () => {
  const hash = createHash('sha256');
  const names = ['node_modules/.package-lock.json', 'tools/bundling.mjs', 'tools/test-packages.mjs'];
  for (const name of names) hash.update(readFileSync(join(root, name)));
  return hash.digest('hex');
};

const isUpToDate = (wanted) => existsSync(join(folder, '.built')) && readFileSync(join(folder, '.built'), 'utf8') === wanted;

export default async () => {
  const wanted = fingerprint();
  if (isUpToDate(wanted)) return;
  const { build } = await import('esbuild');
  mkdirSync(stateFolder, { recursive: true });
  const fresh = mkdtempSync(join(stateFolder, 'test-packages-'));
  try {
    await build({
      absWorkingDir: root,
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      minifyWhitespace: true,
      external: [...external, 'reflect-metadata'],
      entryPoints: packages.map((name) => ({ in: `entry:${name}`, out: name })),
      outdir: fresh,
      outExtension: { '.js': '.mjs' },
      plugins: [entries],
      // First in every file, because files are evaluated in another order than the modules in them.
      banner: { js: `import 'reflect-metadata';\n${commonJs}` },
      logLevel: 'warning',
    });
    writeFileSync(join(fresh, '.built'), wanted);
    if (isUpToDate(wanted)) return; // by another run at the same time
    rmSync(folder, { recursive: true, force: true });
    renameSync(fresh, folder);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
};
