import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { RULES } from './monitoring-files.js';

/** One file of a zip archive. @throws where it is not in there */
const fileIn = (zip: Buffer, name: string): Buffer => {
  const end = zip.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    const [length, extra, comment] = [zip.readUInt16LE(at + 28), zip.readUInt16LE(at + 30), zip.readUInt16LE(at + 32)];
    if (zip.toString('utf8', at + 46, at + 46 + length) === name) {
      const header = zip.readUInt32LE(at + 42);
      const start = header + 30 + zip.readUInt16LE(header + 26) + zip.readUInt16LE(header + 28);
      const bytes = zip.subarray(start, start + zip.readUInt32LE(at + 20));
      return zip.readUInt16LE(at + 10) === 0 ? bytes : inflateRawSync(bytes);
    }
    at += 46 + length + extra + comment;
  }
  throw new Error(`there is no ${name} in the archive`);
};

/** The package of the registry that holds a program Helm, for Linux on amd64: packed, and unpacked once. */
const fromRegistry = (): string => {
  const packed = join(dirname(createRequire(import.meta.url).resolve('@aws-cdk/asset-kubectl-v20/package.json')), 'lib', 'layer.zip');
  const program = join('node_modules', '.logbook', 'helm');
  if (existsSync(program)) return resolve(program);
  mkdirSync(dirname(program), { recursive: true });
  const partial = `${program}.${process.pid}`;
  writeFileSync(partial, fileIn(readFileSync(packed), 'helm/helm'));
  chmodSync(partial, 0o755);
  renameSync(partial, program);
  return resolve(program);
};

/** Helm: the one on the PATH, or that of the registry; `undefined` on machines for which there is none. */
export const findHelm = (): string | undefined => {
  if (spawnSync('helm', ['version']).status === 0) return 'helm';
  return process.platform === 'linux' && process.arch === 'x64' ? fromRegistry() : undefined;
};

/** Runs Helm, from the root of the checkout. @throws with what it printed, and nothing of what it was given */
export const helm = (program: string, command: string, ...given: readonly string[]): string => {
  const { status, stdout, stderr } = spawnSync(program, [command, ...given], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${stdout}${stderr}`);
  return stdout;
};

export const CHART = 'deploy/helm/logbook';

/** What the chart makes of these values for a release of this name. */
export const renderedAs = (program: string, release: string, ...given: readonly string[]): string =>
  helm(program, 'template', release, CHART, '--kube-version', '1.30.0', ...given);

const VALUES = ['--values', 'deploy/kubernetes/values.yaml'];

/** The alert rules as the chart has them: a chart reads only files of its own, and a link would not survive every way of copying it. */
export const rulesOfChart = (): readonly [path: string, text: string] => [`${CHART}/files/logbook.rules.yaml`, readFileSync(RULES, 'utf8')];

/** The files for Kustomize, by their paths: as the chart is rendered, but for who manages it. */
export const manifests = (program: string): ReadonlyMap<string, string> => {
  const of = (...given: readonly string[]): string =>
    renderedAs(program, 'logbook', ...VALUES, ...given).replaceAll('managed-by: Helm', 'managed-by: kustomize');
  return new Map([
    ['deploy/kubernetes/base/logbook.yaml', of('--set', 'httpRoute.enabled=false')],
    ['deploy/kubernetes/gateway/route.yaml', of('--show-only', 'templates/httproute.yaml')],
  ]);
};
