import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { makeInstallation } from './made-up/index.js';
import { LARGE, type Size } from './made-up/size.js';

const USAGE = `npm run test:migration -- <directory> [options]

Makes up an installation of the original services, as files of mongoexport, and brings it over into an empty log: once for each service, with
verification. Says how long it took and how much memory it needed. What it writes stays in the directory.

  --users N       people and programs of all services (100,000)
  --metrics N     of accounting (1,000,000)
  --days N        of profiles, topology and downtimes (1,826)
  --tenants N     of the status service (20)
  --endpoints N   of each tenant's topology (25)
  --seed N        other files of the same size (1)
  --service S     only this one: messaging, accounting or status
  --made          the files are there already
  --help          this text`;

const SERVICES = ['messaging', 'accounting', 'status'];
const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
const LOOK_EVERY_MS = 200;

const text = { type: 'string' } as const;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    users: text,
    metrics: text,
    days: text,
    tenants: text,
    endpoints: text,
    seed: text,
    service: text,
    made: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

/** Most memory that a process had so far, in MiB. */
const peakOf = async (pid: number): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Math.round(Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1_024);
};

/** Runs `logbook migrate` to its end. */
const migrate = async (service: string, directory: string): Promise<boolean> => {
  const begun = performance.now();
  const arguments_ = ['migrate', service, join(directory, service), '--report', join(directory, `report-${service}.json`)];
  const child = spawn(process.execPath, [join(ROOT, 'dist/server/cli.js'), ...arguments_], {
    env: { ...process.env, LOGBOOK_DATA_DIR: join(directory, 'data') },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  let peak = 0;
  const looking = setInterval(async () => {
    peak = Math.max(peak, await peakOf(child.pid ?? 0));
  }, LOOK_EVERY_MS);
  const [code] = await once(child, 'close');
  clearInterval(looking);
  console.log(`${service}: ${((performance.now() - begun) / 1_000).toFixed(1)} s, ${peak} MiB at most, exit code ${code}\n`);
  return code === 0;
};

const run = async (): Promise<void> => {
  const [given] = positionals;
  if (values.help || given === undefined) {
    console.log(USAGE);
    return;
  }
  const directory = resolve(given);
  const size: Size = {
    users: Number(values.users ?? LARGE.users),
    metrics: Number(values.metrics ?? LARGE.metrics),
    days: Number(values.days ?? LARGE.days),
    tenants: Number(values.tenants ?? LARGE.tenants),
    endpoints: Number(values.endpoints ?? LARGE.endpoints),
  };
  await mkdir(directory, { recursive: true });
  if (!values.made) {
    const begun = performance.now();
    const { documents } = await makeInstallation(directory, size, Number(values.seed ?? 1));
    console.log(JSON.stringify(documents, undefined, 1));
    console.log(`made up in ${((performance.now() - begun) / 1_000).toFixed(1)} s\n`);
  }
  for (const service of SERVICES.filter((one) => values.service === undefined || values.service === one))
    if (!(await migrate(service, directory))) process.exitCode = 1;
};

await run();
