import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { BSON, ObjectId } from 'bson';
import { FORMS, writeCollection } from '#test/support/migration/exports.js';
import { documentsOf, type ReadDocument } from './documents.js';
import { exportedFiles, filesOfDatabase } from './exported-files.js';
import { dateIn, decimalIn, type Fields, floatIn, idText, idTime, integerIn, textsIn } from './fields.js';
import { jsonTexts } from './json-texts.js';
import { sorted } from './sorted.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'logbook-read-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const only = async () => {
  const [file] = await exportedFiles(folder);
  if (!file) throw new Error('nothing was found');
  return file;
};
const all = async (documents: AsyncIterable<ReadDocument>): Promise<readonly ReadDocument[]> => {
  const found: ReadDocument[] = [];
  for await (const document of documents) found.push(document);
  return found;
};
/** `_id` or flaw of each document. */
const read = async (): Promise<readonly string[]> => (await all(documentsOf(await only()))).map(({ id, broken }) => broken ?? id);

describe('Exports', () => {
  it.each(FORMS)('are read as they were written: %s', async (form) => {
    const documents = [
      {
        _id: { $oid: '64000000000000000000000a' },
        text: 'a "quoted" {brace} \\ [bracket],\nü',
        whole: { $numberLong: '5' },
        large: { $numberLong: '9007199254740993' },
        double: { $numberDouble: '10.0' },
        never: { $numberDouble: 'NaN' },
        exact: { $numberDecimal: '1200.50' },
        day: { $date: '2025-05-01T10:00:00.123Z' },
        zero: { $date: { $numberLong: '-62135596800000' } },
        list: ['a', 'b'],
        none: null,
        deep: { inside: [{ more: { $numberInt: '1' } }] },
      },
      { _id: 'text' },
    ];
    await writeCollection(join(folder, 'db'), 'things', documents, form);
    const [first, second] = await all(documentsOf(await only()));
    const fields = first?.fields as Fields;
    expect([first?.id, second?.id, idTime(fields._id)]).toEqual(['64000000000000000000000a', 'text', '2023-03-02T01:46:40.000Z']);
    expect([integerIn(fields, 'whole'), decimalIn(fields, 'double'), decimalIn(fields, 'exact')]).toEqual([5, '10', '1200.50']);
    expect([dateIn(fields, 'day'), dateIn(fields, 'zero'), dateIn(fields, 'none')]).toEqual([
      '2025-05-01T10:00:00.123Z',
      '0001-01-01T00:00:00.000Z',
      undefined,
    ]);
    expect([fields.text, textsIn(fields, 'list'), textsIn(fields, 'none')]).toEqual([documents[0]?.text, ['a', 'b'], []]);
    expect(fields.deep).toEqual({ inside: [{ more: 1 }] });
    for (const name of ['large', 'never', 'text']) expect(() => integerIn(fields, name)).toThrow(`${name} must be a`);
  });

  it('are not read ahead where an array fills one line', async () => {
    let chunks = 0;
    const array = async function* () {
      for (let index = 0; index < 1_000; index++) {
        chunks += 1;
        yield Buffer.from(`${index === 0 ? '[' : ','}{"_id":${index}}`);
      }
      yield Buffer.from(']');
    };
    const texts = jsonTexts(array());
    expect((await texts.next()).value).toEqual({ line: 1, text: '{"_id":0}' });
    expect(chunks).toBe(1);
    let count = 1;
    for await (const _ of texts) count += 1;
    expect(count).toBe(1_000);
  });

  it('have broken lines, which do not touch the others', async () => {
    await writeFile(
      join(folder, 'things.json'),
      '{"_id":"1"}\n{"_id":"2"\nnonsense\n[]\n\n{"_id":"3","day":{"$date":"no date"}}\n{"_id":"4"}',
    );
    expect(await read()).toEqual(['1', 'it cannot be read', 'it cannot be read', 'it is no document', '3', '4']);
  });

  it('end where nothing more can be understood', async () => {
    const bytes = BSON.serialize({ _id: 'a' });
    await writeFile(join(folder, 'things.bson'), Buffer.concat([bytes, bytes.subarray(0, 7)]));
    await expect(read()).rejects.toThrow('things.bson: document 2: it has no end');
    await writeFile(join(folder, 'things.bson'), Buffer.concat([bytes, Buffer.from([1, 0, 0, 0, 0])]));
    await expect(read()).rejects.toThrow('things.bson: document 2: no document begins here');
    await rm(join(folder, 'things.bson'));
    await writeFile(join(folder, 'things.json'), '[{"_id":"1"},\n oops');
    await expect(read()).rejects.toThrow('things.json: line 2: no document begins here');
    await rm(join(folder, 'things.json'));
    await writeFile(join(folder, 'things.json.gz'), gzipSync('{"_id":"1"}\n'.repeat(10_000)).subarray(0, 60));
    await expect(read()).rejects.toThrow('things.json.gz: cannot be unpacked (Z_BUF_ERROR)');
  });

  it('are found by names of databases and collections', async () => {
    await mkdir(join(folder, 'one'));
    for (const name of ['one/a.bson', 'one/a.metadata.json', 'one/prelude.json', 'two.a.json', 'two.b.jsonl.gz', 'readme.txt'])
      await writeFile(join(folder, name), '');
    const files = await exportedFiles(folder);
    expect(files.map(({ database, collection }) => `${database}/${collection}`)).toEqual(['one/a', 'two/a', 'two/b']);
    expect(filesOfDatabase(files, ['b']).map(({ collection }) => collection)).toEqual(['a', 'b']);
    expect(filesOfDatabase(files, ['a'], 'one').length).toBe(1);
    expect(() => filesOfDatabase(files, ['a'])).toThrow(
      'there are files of several databases: one (a); two (a): say which one with --database, or move what lies wrong',
    );
    expect(() => filesOfDatabase(files, ['c'])).toThrow(
      'there are no files of the collections c: they are found by their names, <collection>.json',
    );
    await writeFile(join(folder, 'one', 'a.json'), '');
    await expect(exportedFiles(folder)).rejects.toThrow('are both of the collection a');
    await expect(exportedFiles(join(folder, 'nowhere'))).rejects.toThrow('cannot be read (ENOENT)');
  });

  it('are sorted, whatever their size', async () => {
    const count = 3_000;
    const text = 'x'.repeat(30_000); // 90 MB: more than is kept in memory
    async function* shuffled(): AsyncGenerator<ReadDocument> {
      for (let number = 0; number < count; number++) {
        const key = String((number * 7_919) % count).padStart(5, '0');
        yield { id: key, place: `file:${number}`, fields: { _id: new ObjectId(), key, text } };
      }
      yield { id: 'file:x', place: 'file:x', broken: 'it cannot be read' };
    }
    const keys: string[] = [];
    let previous = 0;
    for await (const { id, fields, broken } of sorted(shuffled(), (found) => String(found.key))) {
      if (!broken) expect([(fields as Fields).text === text, idText((fields as Fields)._id)?.length]).toEqual([true, 24]);
      keys.push(id);
      previous += 1;
    }
    expect([previous, keys[0], keys.slice(1).join() === keys.slice(1).toSorted().join()]).toEqual([count + 1, 'file:x', true]);
  });

  it('keep invalid dates out of what is sorted, as they would become dates of 1970', async () => {
    const dates = ['{"$date":"no date"}', '{"$date":{"$numberLong":"9007199254740993000"}}', '{"$date":"2025-05-01T10:00:00Z"}'];
    await writeFile(join(folder, 'things.json'), dates.map((date, index) => `{"_id":"${index}","in":[{"day":${date}}]}\n`).join(''));
    const documents = await all(sorted(documentsOf(await only()), (fields) => String(fields._id)));
    expect(documents.map(({ id, broken }) => [id, broken])).toEqual([
      ['0', 'it has a date that cannot be read'],
      ['1', 'it has a date that cannot be read'],
      ['2', undefined],
    ]);
    expect(documents[2]?.fields?.in).toEqual([{ day: new Date('2025-05-01T10:00:00Z') }]);
  });

  it('are sorted up to a damage, which is reported after them', async () => {
    const [one, two] = ['1', '2'].map((_id) => BSON.serialize({ _id })) as [Uint8Array, Uint8Array];
    await writeFile(join(folder, 'things.bson'), Buffer.concat([two, one, two.subarray(0, 7)]));
    const ids: string[] = [];
    const sorting = async () => {
      for await (const { id } of sorted(documentsOf(await only()), (fields) => String(fields._id))) ids.push(id);
    };
    await expect(sorting()).rejects.toThrow('things.bson: document 3: it has no end');
    expect(ids).toEqual(['1', '2']);
  });

  it.each([
    [80.0999984741211, 80.1],
    [0.800000011920929, 0.8],
    [0.10000000149011612, 0.1],
    [85, 85],
    [0, 0],
  ])('have floats of 32 bits: %d is %d', (stored, shown) => expect(floatIn({ value: stored }, 'value')).toBe(shown));
});
