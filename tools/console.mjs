/** Makes the page of the console: a few files with hashed names, each also compressed, and `index.html`, which names them. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const SOURCES = '../apps/console';

const compressed = (path, bytes) => {
  writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }));
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
};

/** The file that the build has made of an entry point, by the ending of its name. */
const madeOf = (files, entry, ending) => basename(files.find((path) => basename(path).startsWith(`${entry}-`) && path.endsWith(ending)));

/**
 * @param absWorkingDir of the build, beside the sources
 * @param folder for the page
 * @returns the metafile of esbuild
 */
export const buildConsole = async (absWorkingDir, folder) => {
  const outdir = join(folder, 'assets');
  rmSync(folder, { recursive: true, force: true });
  const { outputFiles, metafile } = await build({
    absWorkingDir,
    entryPoints: [`${SOURCES}/src/main.tsx`],
    outdir,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome123', 'firefox121', 'safari17.5'],
    conditions: ['source'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none', // they are in THIRD-PARTY-LICENSES
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
  mkdirSync(outdir, { recursive: true });
  const icon = readFileSync(join(absWorkingDir, SOURCES, 'src', 'icon.svg'));
  const iconName = `icon-${createHash('sha256').update(icon).digest('hex').slice(0, 8)}.svg`;
  const files = [...outputFiles, { path: join(outdir, iconName), contents: icon }];
  for (const { path, contents } of files) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, contents);
    compressed(path, contents);
  }
  const paths = outputFiles.map(({ path }) => path);
  const names = { icon: iconName, style: madeOf(paths, 'main', '.css'), script: madeOf(paths, 'main', '.js') };
  const page = readFileSync(join(absWorkingDir, SOURCES, 'index.html'), 'utf8');
  writeFileSync(
    join(folder, 'index.html'),
    Object.entries(names).reduce((text, [name, value]) => text.replace(`{${name}}`, value), page),
  );
  return metafile;
};
