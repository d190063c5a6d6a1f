import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

const BATCH_CHARACTERS = 2 ** 18;

/** Writes a file as mongoexport does, in its relaxed form: a line for each document. @returns how many there are */
export const exportFile = async (directory: string, collection: string, documents: Iterable<object>): Promise<number> => {
  await mkdir(directory, { recursive: true });
  const file = createWriteStream(join(directory, `${collection}.json`), { mode: 0o600 });
  let [count, batch] = [0, ''];
  for (const document of documents) {
    batch += `${JSON.stringify(document)}\n`;
    count += 1;
    if (batch.length < BATCH_CHARACTERS) continue;
    if (!file.write(batch)) await once(file, 'drain');
    batch = '';
  }
  file.end(batch);
  await once(file, 'finish');
  return count;
};

const DAY_MS = 86_400_000;

/** A day after the first one of all made-up installations, and the same as `date_integer`. */
export const dayAt = (index: number): Readonly<{ date: string; date_integer: number }> => {
  const date = new Date(Date.UTC(2020, 0, 1) + index * DAY_MS).toISOString().slice(0, 10);
  return { date, date_integer: Number(date.replaceAll('-', '')) };
};

/** Ids of documents, ascending, as if one had been made every second since the first day. */
export class ObjectIds {
  private next = 0;

  constructor(
    /** Differs between databases. */
    private readonly database: number,
  ) {}

  text(): string {
    const seconds = Math.floor(Date.UTC(2020, 0, 1) / 1_000) + this.next++;
    return `${seconds.toString(16).padStart(8, '0')}${this.database.toString(16).padStart(16, '0')}`;
  }

  make(): Readonly<{ $oid: string }> {
    return { $oid: this.text() };
  }
}

/** A date as relaxed mongoexport writes it. */
export const dateOf = (day: number, milliseconds = 0): Readonly<{ $date: string }> => ({
  $date: new Date(Date.UTC(2020, 0, 1) + day * DAY_MS + milliseconds).toISOString().replace('.000Z', 'Z'),
});
