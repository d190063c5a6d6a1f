/**
 * Sets up a checkout: packages, build, and for `--tests` a Redis server, a library that shows it a wrong time, a browser, zsh, and HAProxy; with `--packages` only
 * the packages. Every npm script runs it first. It does only what is missing or out of date, and of several started at once one works
 * while the others wait. It builds nothing below a running server, which loads some of its files later: with `--running` (for `npm start` and `logbook`)
 * the build that is there is used then.
 *
 * Imports nothing but what Node brings, because it runs before `npm install`. Reports on standard error, because standard output
 * belongs to the command that follows.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const inRoot = (...names) => join(root, ...names);
const sourceFolders = ['apps', 'libs', 'test'];
const stateFolder = inRoot('node_modules', '.logbook');
const installedStamp = join(stateFolder, 'installed');
const lock = join(stateFolder, 'lock');
const builtStamp = inRoot('dist', '.built');

/** A failure whose message tells the person in front of the terminal all they need: shown without a stack. */
class SetupError extends Error {}

/** One thing that must be so: `needed` is cheap and says whether `run` has work to do; `run` leaves `needed` false when it resolves, or rejects. */
const packages = {
  title: 'Installing packages',
  needed: () => contentOf(installedStamp) !== packagesFingerprint(),
  run: async () => {
    rmSync(installedStamp, { force: true });
    // Not `npm ci`: it deletes `node_modules` first, and with it the lock under which this runs.
    // `--include=dev`: the build needs them under NODE_ENV=production too.
    await execute('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--include=dev', '--loglevel=error']);
    mkdirSync(stateFolder, { recursive: true });
    writeFileSync(installedStamp, packagesFingerprint());
  },
};

const build = {
  title: 'Building',
  needed: () => contentOf(builtStamp) !== sourcesFingerprint(),
  run: async () => {
    const fingerprint = sourcesFingerprint(); // taken before: what is edited while the compiler runs is built the next time
    const [dist, fresh, old] = ['dist', 'dist.new', 'dist.old'].map((name) => inRoot(name));
    const clear = () => {
      for (const folder of [fresh, old]) rmSync(folder, { recursive: true, force: true });
    };
    const nest = inRoot('node_modules', '@nestjs', 'cli', 'bin', 'nest.js');
    clear(); // what a killed build left
    try {
      // As `npm run build`, but beside `dist`: a server that runs from there must not miss a file it loads later.
      await execute(process.execPath, [nest, 'build', '--silent', '--path', 'tools/tsconfig.fresh.json']);
      await execute(process.execPath, [inRoot('tools', 'bundle.mjs'), 'dist.new']);
      writeFileSync(join(fresh, '.built'), fingerprint);
      if (existsSync(dist)) renameSync(dist, old);
      renameSync(fresh, dist);
    } finally {
      clear();
    }
  },
};

const redisServer = {
  title: 'Installing Redis for the tests',
  // Debian keeps the server's program in `redis-tools`, as `redis-check-rdb`; the package `redis-server` would set up a service besides.
  needed: () => !process.env.REDIS_URL && !onPath('redis-server') && !onPath('redis-check-rdb'),
  run: async () => {
    if (!canInstall()) throw new SetupError(redisAdvice);
    await install('redis-tools');
    if (redisServer.needed()) throw new SetupError(redisAdvice);
  },
};
const redisAdvice = `The tests need Redis, and nothing is skipped without it. Do one of these:
  install Redis   (Debian, Ubuntu: apt-get install redis-tools; macOS: brew install redis)
  set REDIS_URL   (redis://host:port of a server whose data may be lost)`;

/** A package of Debian without which something is left out, and says so. Tried once in each checkout: without a network every start would wait for it. */
const ifPossible = (title, name, isThere) => {
  const tried = join(stateFolder, `${name}-tried`);
  return {
    title,
    needed: () => canInstall() && !isThere() && contentOf(tried) === undefined,
    run: async () => {
      writeFileSync(tried, '');
      try {
        await install(name);
      } catch (error) {
        process.stderr.write(`left out: ${error.message.split('\n')[0]} ... `);
      }
    },
  };
};

/** With it the fault run sets the clock of Redis wrong. */
const clockLibrary = ifPossible('Installing libfaketime for the tests', 'libfaketime', hasClockLibrary);

/** In it the pages of the console are tried. */
const browser = ifPossible('Installing Chromium for the tests', 'chromium', () =>
  ['chromium', 'chromium-browser', 'google-chrome'].some(onPath),
);

/** Sessions of the documents are tried in it, too. */
const zsh = ifPossible('Installing zsh for the tests', 'zsh', () => onPath('zsh'));

/** The shipped configuration of the balancer is tried in it. */
const balancer = ifPossible('Installing HAProxy for the tests', 'haproxy', () => onPath('haproxy'));

/**
 * Makes the checkout ready to run, or prints what to do and ends the process with code 1. Where there are no sources (a published
 * package, an image with `dist` alone) only the Node version is checked.
 */
export async function ensure({ tests = false, packagesOnly = false, running = false } = {}) {
  try {
    checkNode();
    if (!existsSync(inRoot('apps'))) return;
    const steps = [packages, ...(packagesOnly ? [] : [build]), ...(tests ? [redisServer, clockLibrary, browser, zsh, balancer] : [])];
    if (!steps.some((step) => step.needed())) return;
    const server = running && contentOf(builtStamp) !== undefined ? runningServer() : undefined;
    if (server !== undefined) {
      console.error(`Process ${server} serves from this checkout: its build is used, although files have changed since.`);
      return;
    }
    await underLock(async () => {
      for (const step of steps) if (step.needed()) await timed(step);
    });
  } catch (error) {
    console.error(error instanceof SetupError ? error.message : error);
    process.exit(1);
  }
}

function checkNode() {
  const required = /(\d+)\.(\d+)/.exec(JSON.parse(contentOf(inRoot('package.json'))).engines.node);
  const [major, minor] = process.versions.node.split('.').map(Number);
  const [wantedMajor, wantedMinor] = required.slice(1).map(Number);
  if (major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)) return;
  throw new SetupError(`Logbook needs Node ${required[0]} or newer; this is ${process.version} (${process.execPath}).`);
}

/** On a terminal the seconds count up, so that whoever waits sees that it goes on. */
async function timed(step) {
  const start = performance.now();
  const seconds = () => (performance.now() - start) / 1000;
  const { isTTY } = process.stderr;
  const title = `${step.title} ... `;
  process.stderr.write(title);
  const shown = isTTY && setInterval(() => process.stderr.write(`\r${title}${Math.floor(seconds())} s`), 1000);
  const end = (text) => {
    if (shown) clearInterval(shown);
    process.stderr.write(`${isTTY ? `\r${title}` : ''}${text}\n`);
  };
  try {
    await step.run();
  } catch (error) {
    end('failed');
    throw error;
  }
  end(`${seconds().toFixed(1)} s`);
}

/** Whether Debian's packages can be installed here without asking anybody. */
function canInstall() {
  return process.getuid?.() === 0 && onPath('apt-get');
}

async function install(name) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await execute('apt-get', ['update', '-q'], env);
  await execute('apt-get', ['install', '-qy', '--no-install-recommends', name], env);
}

/** Where Debian puts it: in a folder for each architecture. */
function hasClockLibrary() {
  return readdirSync('/usr/lib').some((name) => existsSync(join('/usr/lib', name, 'faketime')));
}

/** Runs a program in the root folder. Rejects with what it printed when it fails. */
async function execute(command, args, env = process.env) {
  const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  for (const output of [child.stdout, child.stderr])
    output.setEncoding('utf8').on('data', (text) => {
      printed += text;
    });
  const reason = await new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(code === 0 ? undefined : signal ? `ended by ${signal}` : `exit code ${code}`));
  });
  if (reason !== undefined) throw new SetupError(`${command} ${args.join(' ')}: ${reason}\n${printed}`.trimEnd());
}

/** Contents, because a fresh checkout or a switch of branches changes times only; the platform, because binaries are installed for one. */
function packagesFingerprint() {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}\n`);
  for (const name of ['package.json', 'package-lock.json']) hash.update(contentOf(inRoot(name)) ?? '');
  return hash.digest('hex');
}

/** Id of a process that serves from `dist` of this checkout. Undefined also where the system does not say (no `/proc`, another user). */
function runningServer() {
  return ids().find((id) => {
    try {
      const given = readFileSync(join('/proc', id, 'cmdline'), 'utf8').split('\0');
      const folder = readlinkSync(join('/proc', id, 'cwd'));
      const has = (...names) => given.some((one) => resolve(folder, one) === inRoot(...names));
      const isCommand = has('dist', 'server', 'cli.js') || has('tools', 'logbook.mjs');
      return has('dist', 'server', 'main.js') || (isCommand && given.includes('serve') && id !== String(process.pid));
    } catch {
      return false; // it has ended, or is another user's
    }
  });
}

function ids() {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

/** Names, times and sizes of all that decides what `dist` holds: reading every file would cost more than the rest of a start. */
function sourcesFingerprint() {
  const hash = createHash('sha256');
  const add = (name) => {
    const stat = statSync(inRoot(name), { throwIfNoEntry: false });
    if (stat) hash.update(`${name} ${stat.mtimeMs} ${stat.size}\n`);
  };
  for (const name of ['.swcrc', 'nest-cli.json', 'package-lock.json']) add(name);
  for (const name of ['bill-of-materials', 'bundle', 'bundling', 'console', 'ensure', 'licences', 'packages'])
    add(join('tools', `${name}.mjs`));
  for (const name of readdirSync(root).sort()) if (name.endsWith('.md')) add(name);
  for (const folder of ['docs', join('tools', 'guides')])
    for (const name of readdirSync(inRoot(folder), { recursive: true }).sort()) add(join(folder, name));
  for (const folder of sourceFolders) {
    if (!existsSync(inRoot(folder))) continue;
    const names = readdirSync(inRoot(folder), { recursive: true }).filter(
      (name) => /\.([cm]?[jt]s|tsx|css|html|svg)$/.test(name) && !/[.-]spec\.ts$/.test(name),
    );
    for (const name of names.sort()) add(join(folder, name));
  }
  return hash.digest('hex');
}

/** The text of a file, or undefined where there is none. */
function contentOf(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function onPath(program) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Runs `work` while no other process of this checkout does; waits for as long as the other one lives. */
async function underLock(work) {
  mkdirSync(stateFolder, { recursive: true });
  for (let told = false; !(await takeLock()); told = true) {
    if (!told) console.error('Waiting for another set-up of this checkout ...');
    await sleep(100);
  }
  try {
    await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

async function takeLock() {
  const mine = String(process.pid);
  if (isAbandoned()) rmSync(lock, { force: true });
  try {
    writeFileSync(lock, mine, { flag: 'wx' });
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
  // Two that find an abandoned lock at once may each remove it, the second one that of the first: whoever's stays has it.
  await sleep(50);
  return contentOf(lock) === mine;
}

/** Whether the owner of the lock ended without removing it: no such process, or (its id is another's by now) longer ago than any set-up takes. */
function isAbandoned() {
  const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
  if (since === undefined) return false;
  if (Date.now() - since > 15 * 60_000) return true;
  const owner = Number(contentOf(lock) ?? 0);
  if (owner === 0) return false; // just released, or still being written
  if (owner === process.pid) return true; // of an earlier life: process ids start again in every container
  try {
    process.kill(owner, 0);
    return isZombie(owner);
  } catch (error) {
    return error.code === 'ESRCH'; // EPERM: it lives, under another user
  }
}

/** Whether a process has ended, but its parent has not waited for it. */
function isZombie(id) {
  try {
    return /^State:\tZ.*^Threads:\t1$/ms.test(readFileSync(`/proc/${id}/status`, 'utf8'));
  } catch {
    return false; // the system does not say
  }
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const has = (option) => process.argv.includes(option);
  await ensure({ tests: has('--tests'), packagesOnly: has('--packages'), running: has('--running') });
}
