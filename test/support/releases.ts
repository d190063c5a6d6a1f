import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { brotliDecompressSync } from 'node:zlib';

/** Releases whose data are kept in `test/releases`: its folders. */
export const RELEASES: readonly string[] = readdirSync('test/releases', { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);

/** A call, and how the release answered it over its data. `asOf`: position or instant in the header `Logbook-As-Of`. */
export type RecordedAnswer = Readonly<{
  method: string;
  path: string;
  headers: Readonly<Record<string, string>>;
  body?: unknown;
  asOf?: string;
  status: number;
  text: string;
}>;

/** `clock`: the time of all calls. `moments`: positions that `asOf` names. */
export type RecordedAnswers = Readonly<{
  clock: string;
  moments: readonly Readonly<{ position: string; time: string }>[];
  answers: readonly RecordedAnswer[];
}>;

/** Collection → key → text, by projection. */
export type RecordedDocuments = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>;

/**
 * The documents of all projections as of positions. `versions`: of the projections that were read. `digests`: of more positions than `texts`, by
 * projection.
 */
export type RecordedPast = Readonly<{
  versions: Readonly<Record<string, number>>;
  texts: Readonly<Record<string, RecordedDocuments>>;
  digests: Readonly<Record<string, Readonly<Record<string, string>>>>;
}>;

/** What `digests` hold of the documents of a projection. */
export const digestOf = (documents: RecordedDocuments[string]): string =>
  createHash('sha256').update(JSON.stringify(documents)).digest('hex').slice(0, 12);

/** The data were made with it; without it their messages would expire. */
export const RETENTION_OF_RELEASES = { LOGBOOK_MESSAGING_RETENTION: '36500d' } as const;

const unpacked = (release: string, name: string): Buffer => brotliDecompressSync(readFileSync(`test/releases/${release}/${name}.br`));

/** Puts the data of a release into a directory, in the place of what is there under the same names. */
export const unpackData = async (release: string, directory: string): Promise<void> => {
  await mkdir(directory, { recursive: true });
  const { status, stderr } = spawnSync('tar', ['-x', '-C', directory], { input: unpacked(release, 'data.tar'), encoding: 'utf8' });
  if (status !== 0) throw new Error(`tar cannot unpack the data of ${release}: ${stderr}`);
};

export const answersOf = (release: string): RecordedAnswers => JSON.parse(unpacked(release, 'answers.json').toString('utf8'));

export const pastOf = (release: string): RecordedPast => JSON.parse(unpacked(release, 'documents.json').toString('utf8'));
