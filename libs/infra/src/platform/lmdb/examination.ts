import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { EnvironmentError, newerFormat } from './environment-error.js';
import { type Inspector, inspectDataFile } from './inspection.js';
import { isUnflushed, type Openness } from './lock.js';
import { fileIdentity, installedLmdbVersion, isNewer, type Marker, readMarker, writeMarker } from './version-marker.js';

export type ExaminationOptions = Readonly<{
  path: string;
  durability: Marker['durability'];
  format: number;
  readOnly: boolean;
  /** State of the environment. A process that examines it for writing must have locked it. */
  openness: Openness;
  newInspector: () => Inspector;
  report: (message: string) => void;
}>;

/**
 * Extent of the read. `known`: the file is known to be undamaged. `later`: reading the whole file would take long, so it is deferred until
 * the file was not closed properly a second time.
 */
type FileReading = 'known' | 'whole' | 'later';

/** Bytes that are read and checked in about a second. */
const READ_AT_ONCE_BYTES = 256 * 2 ** 20;

export const dataFile = (path: string): string => join(path, 'data.mdb');

/**
 * Examines an environment before LMDB opens it, because LMDB ends the process with a signal over a damaged file. A file that was closed
 * properly and is unchanged since, or is in use, can only be damaged by its disk: then only the path to its records is checked, in
 * milliseconds. Every other file (a copy, a restored one, one left by a killed process) is read completely. A large one is read only if its
 * last process was killed, too, because damage ends the process that encounters it.
 * @returns the marker of the environment
 * @throws EnvironmentError it cannot be used. An environment that can be rebuilt is emptied instead, and reported.
 */
export const examine = (options: ExaminationOptions): Marker => {
  const { path, readOnly } = options;
  const found = foundMarker(options);
  if (found === 'damaged') return reset(options, 'has a damaged store.json');
  const why = found && whyUnusable(options, found);
  if (why !== undefined) return reset(options, why);
  const reading = readingOf(options, found);
  const inspection = inspectDataFile(dataFile(path), reading === 'whole' ? options.newInspector : undefined);
  if (inspection.kind === 'damaged') {
    if (!found)
      throw new EnvironmentError(path, `is damaged: data.mdb ${inspection.what}. ${PUT_BACK}, or move it away if it is not Logbook's`);
    return reset(options, `is damaged: data.mdb ${inspection.what}`, PUT_BACK);
  }
  if (inspection.kind === 'absent') {
    if (readOnly) throw new EnvironmentError(path, 'holds no data');
    if (found?.state === 'ready') return reset(options, 'has lost its data file (missing or empty)', PUT_BACK);
  }
  return readOnly ? (found ?? fresh(options)) : remember(options, found ?? fresh(options), reading);
};

const PUT_BACK = 'Put back the whole directory from a backup';

/** About data of a newer version. */
const WAY_BACK =
  'Start that version. To go back to this one, restore a backup that it made, or import an export of the newer one (docs/running/upgrading.md, Going back)';

/** Makes the next process read the whole file. */
export const distrust = (path: string): void => {
  const marker = readMarker(path);
  if (!marker) return;
  const { closed: _, ...rest } = marker;
  writeMarker(path, { ...rest, unchecked: true });
};

/** Must be called when the files are closed. */
export const rememberClosed = (path: string): void => {
  const marker = readMarker(path);
  if (!marker) return;
  const { unchecked: _, ...rest } = marker;
  writeMarker(path, { ...rest, closed: fileIdentity(dataFile(path)) });
};

const fresh = ({ durability, format }: ExaminationOptions): Marker => ({
  lmdb: installedLmdbVersion(),
  durability,
  state: 'creating',
  format,
});

const foundMarker = ({ path, durability, readOnly }: ExaminationOptions): Marker | 'damaged' | undefined => {
  try {
    return readMarker(path);
  } catch (error) {
    if (durability === 'durable' || readOnly || !(error instanceof EnvironmentError)) throw error;
    return 'damaged';
  }
};

/** Returns why the environment cannot be used, regardless of its data file; `undefined` if it can. */
const whyUnusable = ({ path, durability, format, openness }: ExaminationOptions, found: Marker): string | undefined => {
  const lmdb = installedLmdbVersion();
  if (found.durability !== durability)
    throw new EnvironmentError(path, `holds ${found.durability} data and was asked for as ${durability}`);
  if (isNewer(found.lmdb, lmdb)) return `was written by lmdb ${found.lmdb}, newer than this program's ${lmdb}`;
  if (found.format > format) return newerFormat(found.format, format);
  if (durability === 'durable') return undefined;
  if (found.format < format) return `was written by an older version of Logbook (format ${found.format}; this one needs ${format})`;
  if (openness !== 'open' && isUnflushed(path)) return 'was not closed before the machine stopped';
  return undefined;
};

const readingOf = ({ path, openness }: ExaminationOptions, found: Marker | undefined): FileReading => {
  if (openness === 'open') return 'known';
  if (found?.unchecked) return 'whole';
  const file = dataFile(path);
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (openness === 'closed' && size > 0 && found?.closed === fileIdentity(file)) return 'known';
  return size > READ_AT_ONCE_BYTES ? 'later' : 'whole';
};

const remember = (options: ExaminationOptions, found: Marker, reading: FileReading): Marker => {
  const { path, format } = options;
  tellOfNewFormat(options, found);
  const { unchecked, ...rest } = found;
  const isUnchecked = reading === 'later' || (reading === 'known' && unchecked);
  const marker: Marker = { ...rest, lmdb: installedLmdbVersion(), format, ...(isUnchecked ? { unchecked: true } : {}) };
  writeMarker(path, marker);
  return marker;
};

/** From here on the program that wrote the data cannot open them. Replayable data are deleted instead, which is reported. */
const tellOfNewFormat = ({ path, durability, format, report }: ExaminationOptions, found: Marker): void => {
  const lmdb = installedLmdbVersion();
  if (durability !== 'durable' || found.state === 'creating' || (found.format === format && !isNewer(lmdb, found.lmdb))) return;
  report(
    `${path} is taken over from format ${found.format} (lmdb ${found.lmdb}) to ${format} (lmdb ${lmdb}): releases before this one cannot open it any more. The way back is a backup made before this start, or an export (docs/running/upgrading.md, Going back)`,
  );
};

/** Deletes only data that can be rebuilt. Others without `advice` are of a newer version. */
const reset = (options: ExaminationOptions, why: string, advice = options.durability === 'durable' ? WAY_BACK : undefined): Marker => {
  const { path, durability, readOnly, report } = options;
  if (durability === 'durable' || readOnly) throw new EnvironmentError(path, advice ? `${why}. ${advice}` : why);
  report(`${path} ${why}: deleted, to be built again`);
  for (const name of ['data.mdb', 'lock.mdb']) rmSync(join(path, name), { force: true });
  const marker = fresh(options);
  writeMarker(path, marker);
  return marker;
};
