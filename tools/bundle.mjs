/**
 * Puts the server, the command line and their worker threads, with all packages that they use, into a few files of `<build>/server`, and the page of the
 * console and the guides beside them: loading two thousand small files costs more than half of a start (docs/decisions/0037-one-file-to-start.md).
 *
 * `node tools/bundle.mjs <build>`: the folder that the compiler has written.
 */
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { billOfMaterials } from './bill-of-materials.mjs';
import { commonJs, external } from './bundling.mjs';
import { buildConsole } from './console.mjs';
import { buildGuides } from './guides/guides.mjs';
import { licencesOf } from './licences.mjs';
import { manifestOf, packagesBeside, packagesWithin } from './packages.mjs';

/** Names in `server`: what one part starts as a thread lies beside it, as in the sources. */
const entryPoints = {
  main: 'apps/api/src/main.js',
  cli: 'apps/operator/src/main.js',
  server: 'apps/api/src/hosting/server.js', // for tests, which run several in one process
  'followers-worker': 'apps/api/src/runtime/followers/followers-worker.js',
  'results-worker': 'apps/api/src/status/results-engine/results-worker.js',
  'validation-worker': 'libs/infra/src/edges/schemas/validation/validation-worker.js',
};

const [folder = 'dist'] = process.argv.slice(2);
const absWorkingDir = join(fileURLToPath(new URL('..', import.meta.url)), folder);

/**
 * The commit of the sources, with `-dirty` behind it when they differ from it: of `LOGBOOK_BUILD_COMMIT`, which builds of images are given, else of git.
 * Empty where neither says.
 */
const commit = () => {
  if (process.env.LOGBOOK_BUILD_COMMIT) return process.env.LOGBOOK_BUILD_COMMIT;
  const cwd = fileURLToPath(new URL('..', import.meta.url));
  const found = spawnSync('git', ['describe', '--always', '--dirty', '--abbrev=40', '--exclude=*'], { cwd, encoding: 'utf8' });
  return found.status === 0 ? found.stdout.trim() : '';
};

/** The aliases of `package.json` lead to `dist`; while a build is made it has another name. */
const aliases = {
  name: 'aliases',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^#(api|domain|infra|operator|projections)\// }, ({ path }) => {
      const [, library, rest] = /^#(\w+)\/(.+)$/.exec(path);
      return { path: join(absWorkingDir, ['api', 'operator'].includes(library) ? 'apps' : 'libs', library, 'src', rest) };
    }),
};

const options = {
  absWorkingDir,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external,
  // All that is used of it. As a whole it is a megabyte, with the telephone numbers of all countries, which every start would load.
  alias: { 'class-validator': 'class-validator/esm2015/decorator/string/IsUrl.js' },
  define: { LOGBOOK_BUILD_COMMIT: JSON.stringify(commit()) },
  plugins: [aliases],
  banner: { js: commonJs },
  logLevel: 'warning',
  logLimit: 10,
};
const [server, temporary] = ['server', 'description'].map((name) => join(absWorkingDir, name));

for (const path of [server, temporary]) rmSync(path, { recursive: true, force: true });
const { metafile: ofProgram } = await build({
  ...options,
  entryPoints,
  outdir: 'server',
  legalComments: 'linked',
  sourcemap: true,
  sourcesContent: false,
  metafile: true,
});

// What `/openapi.json` answers is a file, so that no request has to wait until it is made. Only it shows names of classes: to keep them costs a call
// wherever a function is made, which in the server was a fourteenth of the processor time of a request.
await build({ ...options, entryPoints: ['apps/api/src/hosting/openapi.js'], outdir: 'description', keepNames: true });
const document = spawnSync(process.execPath, [join(temporary, 'openapi.js')], { encoding: 'buffer', maxBuffer: 64 << 20 });
if (document.status !== 0) throw new Error(`no description of the API: ${document.stderr}`);
writeFileSync(join(server, 'openapi.json'), document.stdout);
rmSync(temporary, { recursive: true });

const metafiles = [
  ofProgram,
  ...(await Promise.all([
    buildConsole(absWorkingDir, join(server, 'console')),
    buildGuides(absWorkingDir, join(server, 'guides'), JSON.parse(document.stdout)),
  ])),
];
const merged = (part) => Object.assign({}, ...metafiles.map((metafile) => metafile[part]));
const metafile = { inputs: merged('inputs'), outputs: merged('outputs') };
writeFileSync(join(absWorkingDir, 'metafile.json'), JSON.stringify(metafile));
// What is private is ours: the empty stand-in for a package that we leave out.
const used = [...packagesWithin(metafile), ...packagesBeside()].filter((place) => manifestOf(place).private !== true);
writeFileSync(join(server, 'THIRD-PARTY-LICENSES'), licencesOf(used));
writeFileSync(join(server, 'sbom.cdx.json'), billOfMaterials(used));
